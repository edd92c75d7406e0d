import re

print(re.sub("[a-z]{5,}", lambda match: "".join(reversed(match[0])), input()))
