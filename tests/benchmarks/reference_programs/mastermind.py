code, guess = list(input()), list(input())
black = white = 0
for place in range(4):
    if code[place] == guess[place]:
        code[place], guess[place] = "code", "guess"
        black += 1
for colour in guess:
    if colour in code:
        code.remove(colour)
        white += 1
print(white)
print(black)
