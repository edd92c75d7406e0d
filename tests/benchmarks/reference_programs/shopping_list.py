from decimal import ROUND_HALF_UP, Decimal

input()
prices = list(map(Decimal, input().split()))
input()
discounts = list(map(Decimal, input().split()))
total = sum(price - price * discount / 100 for price, discount in zip(prices, discounts, strict=True))
print(total.quantize(Decimal("0.01"), ROUND_HALF_UP))
