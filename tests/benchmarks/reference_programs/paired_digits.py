digits = input()
total = 0
for index in range(1, len(digits)):
    if digits[index] == digits[index - 1]:
        total += int(digits[index])
print(total)
