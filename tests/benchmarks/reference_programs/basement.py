from itertools import accumulate

input()
print(next(index for index, floor in enumerate(accumulate(map(int, input().split()))) if floor < 0))
