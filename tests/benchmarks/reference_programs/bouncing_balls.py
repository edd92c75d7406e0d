first, second, bounces = float(input()), float(input()), int(input())
ratio = second / first
heights = [first * ratio**number for number in range(bounces + 1)]
print(heights[0] + 2 * sum(heights[1:-1]) + heights[-1])
