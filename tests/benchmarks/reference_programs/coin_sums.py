cents = int(input())
counts = []
for value in (25, 10, 5, 1):
    counts.append(cents // value)
    cents %= value
print(*reversed(counts), sep="\n")
