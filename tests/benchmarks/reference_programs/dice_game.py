peter, colin = int(input()), int(input())
print(sum(one > other for one in range(1, peter + 1) for other in range(1, colin + 1)) / (peter * colin))
