hours, snow, snowfall, melting = int(input()), float(input()), float(input()), float(input())
kept = 1 - melting
print(snow * kept**hours + snowfall * sum(kept**hour for hour in range(hours)))
