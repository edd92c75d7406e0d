input()
numbers = list(map(int, input().split()))
total, left = sum(numbers), 0
best = None
for cut in range(1, len(numbers)):
    left += numbers[cut - 1]
    gap = abs(total - 2 * left)
    if gap == 0:
        best = (gap, cut)
        break
    if best is None or gap <= best[0]:
        best = (gap, cut)
cut = best[1] if best else 1
print(*numbers[:cut])
print(*numbers[cut:])
