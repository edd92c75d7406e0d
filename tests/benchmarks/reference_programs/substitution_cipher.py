plain, cipher, message = input(), input(), input()
print("".join(cipher[plain.index(letter)] for letter in message))
