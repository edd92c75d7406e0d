first, second = int(input()), int(input())
while second:
    first, second = second, first % second
print(first)
