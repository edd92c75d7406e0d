"""One assertion about a function, inside the process of the program that defines it.

The sandbox gets the text of this file behind the program's own, so it imports nothing. Whatever it
returns, the program or the assertion could have made up.
"""


def _evo_assertion(context: str, assertion: str) -> list[object]:
    """Execute an assertion, and say whether it holds.

    Args:
        context: Statements to be executed before it: imports, assignments, functions.
        assertion: An ``assert`` statement.

    Returns:
        Whether it holds, the exception where it does not, and the numbers of what was reached meanwhile.
    """
    scope = globals()
    reached = scope.get("_evo_reached", set())
    reached.clear()  # by importing
    failure = ""
    try:
        exec(compile(context, "context", "exec"), scope)  # noqa: S102 - the purpose of it all
        exec(compile(assertion, "assertion", "exec"), scope)  # noqa: S102
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever a test raises, it fails
        failure = f"{type(error).__name__}: {error}"[:300].rstrip(": ")
    return [not failure, failure, sorted(reached)]
