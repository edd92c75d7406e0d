from itertools import combinations

input()
numbers, target = list(map(int, input().split())), int(input())
for first, second in combinations(numbers, 2):
    if first + second == target:
        print(first, second, sep="\n")
