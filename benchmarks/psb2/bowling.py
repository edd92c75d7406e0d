"""PSB2 "Bowling": inputs of Helmuth and Kelly, GECCO 2021; after a kata of codewars.com.

A spare after a miss is written ``-/`` in the suite's edge inputs and ``0/`` in its random ones. Its last two bonus
balls may knock down more than ten pins together, as no real game has it.
"""

from __future__ import annotations

from benchmarks.psb2.genetic_settings import GeneticSettings, constants, random_int
from benchmarks.psb2.problem import INT, STR, Field, Psb2Problem, RandomDomain
from benchmarks.random_bits import RandomBits
from evaluators.problem import Named

_PINS = {"X": 10, "-": 0} | {str(digit): digit for digit in range(10)}


def solve(balls: str) -> int:
    """The reference solution: turns the balls into pins, then scores frame by frame."""
    pins: list[int] = []
    for ball in balls:
        pins.append(10 - pins[-1] if ball == "/" else _PINS[ball])
    score = first = 0
    for _ in range(10):
        is_strike = pins[first] == 10
        has_bonus = is_strike or pins[first] + pins[first + 1] == 10
        score += sum(pins[first : first + (3 if has_bonus else 2)])
        first += 1 if is_strike else 2
    return score


def _random(bits: RandomBits) -> tuple[str]:
    frames = []
    for _ in range(10):
        first = bits.integer(0, 10)
        second = bits.integer(0, 10 - first)
        frames.append(_frame(first, second))
    if first == 10:
        third, fourth = bits.integer(0, 10), bits.integer(0, 10)
        frames.append(_frame(third, fourth) if third < 10 else f"X{_ball(fourth)}")
    elif first + second == 10:
        frames.append(_ball(bits.integer(0, 10)))
    return ("".join(frames),)


def _frame(first: int, second: int) -> str:
    if first == 10:
        return "X"
    return f"{first}/" if first + second == 10 else _ball(first) + _ball(second)


def _ball(pins: int) -> str:
    return {0: "-", 10: "X"}.get(pins, str(pins))


PROBLEM = Psb2Problem(
    name="bowling",
    task=(
        "Find the score of one player's game of ten-pin bowling. The game has ten frames. In a frame the player has "
        "two balls to knock down ten pins. If all ten fall with the first ball, that is a strike: the frame is over, "
        "and counts 10 plus the pins of the next two balls. If all ten fall with the two balls together, that is a "
        "spare: the frame counts 10 plus the pins of the next ball. Any other frame counts the pins that fell. After "
        "a strike in the tenth frame the player has two more balls, after a spare one more; these count only as the "
        "bonus of the tenth frame. The score is the sum of the ten frames. "
        "The game is given as a string with one character for each ball, without separators: X is a strike (or all "
        "ten pins with a single ball among the last ones), / is a second ball that makes a spare, - is a ball that "
        "knocks down nothing, and a digit is the number of pins. A first ball that knocks down nothing may also be "
        "written 0. The bonus balls at the end may add up to more than ten."
    ),
    inputs=(Field("balls", STR, "the balls, a string of 11 to 21 of the characters X / - and digits"),),
    outputs=(Field("score", INT, "the score, an integer from 0 to 300"),),
    edge_inputs=tuple(
        (balls,)
        for balls in (
            *("--------------------", "XXXXXXXXXXXX", "5/5/5/5/5/5/5/5/5/5/5", "7115XXX548/279-X53"),
            *("532/4362X179-41447/5", "24815361356212813581", "------X------------", "----------3/--------"),
            *("--------------1-----", "11111111111111111111", "111111X111111111111", "-4-/-2-/-7-6-/-3-/-4"),
            *("-/-/-/-/-/-/-/-/-/-/-", "X52X52X52X52X52", "XXXXX----------", "XXXXX81XXX-1", "XXXX9/XXX2/XXX"),
            *("XXXXXXXXXXX9", "--X34--------------", "------3/61----------", "----------XX7-----"),
        )
    ),
    random_domains=(RandomDomain(_random),),
    solve=solve,
    error_function=Named("absolute_difference", {"penalty": 1_000_000}),
    genetic=GeneticSettings(
        ("exec", "int", "bool", "char", "str"),
        (*constants("char", *"-X/123456789"), *constants("int", 10)),
        (random_int(-10, 9),),
    ),
)
