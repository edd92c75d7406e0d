import re

print(re.sub("-([a-z])", lambda match: match[1].upper(), input()))
