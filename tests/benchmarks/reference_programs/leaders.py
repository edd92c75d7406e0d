input()
numbers = list(map(int, input().split()))
print(*[number for index, number in enumerate(numbers) if number == max(numbers[index:])])
