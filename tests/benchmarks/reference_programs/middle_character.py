text = input()
half = len(text) // 2
print(text[half] if len(text) % 2 else text[half - 1 : half + 1])
