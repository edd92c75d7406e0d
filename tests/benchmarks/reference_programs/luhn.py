input()
digits = list(map(int, input().split()))
for index in range(0, 16, 2):
    digits[index] = 2 * digits[index] - (9 if digits[index] > 4 else 0)
print(sum(digits))
