def score(balls, frame):
    if frame == 10:
        return 0
    if balls[0] == "X":
        return 10 + pins(balls[1:3]) + score(balls[1:], frame + 1)
    if balls[1] == "/":
        return 10 + pins(balls[2]) + score(balls[2:], frame + 1)
    return pins(balls[:2]) + score(balls[2:], frame + 1)


def pins(balls):
    if balls.endswith("/"):
        return 10
    return sum(10 if ball == "X" else 0 if ball == "-" else int(ball) for ball in balls)


print(score(input(), 0))
