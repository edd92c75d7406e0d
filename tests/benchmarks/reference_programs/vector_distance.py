import math

input()
one = list(map(float, input().split()))
input()
other = list(map(float, input().split()))
print(math.dist(one, other))
