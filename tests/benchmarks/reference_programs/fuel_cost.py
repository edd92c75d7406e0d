count = int(input())
masses = list(map(int, input().split()))
assert len(masses) == count
fuel = 0
for mass in masses:
    fuel += mass // 3 - 2
print(fuel)
