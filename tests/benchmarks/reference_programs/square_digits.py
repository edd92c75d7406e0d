number = int(input())
squares = str((number % 10) ** 2)
while number >= 10:
    number //= 10
    squares = str((number % 10) ** 2) + squares
print(squares)
