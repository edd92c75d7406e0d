length = len(input())
if length == 0:
    print("You didn't type anything")
elif length > 140:
    print("Too many characters")
else:
    print("Your tweet has", length, "characters")
