text, target = input(), input()
found, at = [], text.find(target)
while at >= 0:
    found.append(at)
    at = text.find(target, at + 1)
print(*found)
