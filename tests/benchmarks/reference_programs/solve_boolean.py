text = input()
while len(text) > 1:
    one, operator, other = text[:3]
    joined = {one, other} == {"t"} if operator == "&" else "t" in (one, other)
    text = ("t" if joined else "f") + text[3:]
print("true" if text == "t" else "false")
