"""One loader for every file of a user's own; what fails in it is told with the user's line, never with one of ours."""

import pytest

from evaluators.checkers import build_checker
from evaluators.exceptions import UserError
from evaluators.problem import Named
from evaluators.users_file import load_from_file


@pytest.mark.parametrize(
    ("source", "told"),
    [
        (
            "def check(a, b, c):\n    return a.missing\n",
            r"raised AttributeError: .*\(mine\.py, line 2\); it was given '1",
        ),
        (
            "import json\ndef check(a, b, c):\n    return json.loads('{')\n",
            r"raised JSONDecodeError: .*\(mine\.py, line 3\)",
        ),
        ("def check(a):\n    return True\n", r"raised TypeError: .*\(before any line of it was run\)"),
    ],
)
def test_a_checker_that_fails_is_told_with_the_users_own_line(tmp_path, source, told):
    path = tmp_path / "mine.py"
    path.write_text(source)
    checker = build_checker(Named(f"{path}:check"))
    with pytest.raises(UserError, match=told) as error:
        checker("1\n", "1\n", "0\n")
    assert "\n" not in str(error.value)
    assert "named.py" not in str(error.value)


@pytest.mark.parametrize(
    ("source", "attribute", "told"),
    [
        ("x = 1\n1 / 0\n", "x", r"the import of .*mine\.py raised ZeroDivisionError: .* \(mine\.py, line 2\)"),
        ("def chek(): ...\n", "check", "unknown checker in .*did you mean 'chek'"),
        ("def f(:\n", "f", r"raised SyntaxError: .*\(line 1\)"),
        ("import nowhere_at_all\n", "f", r"raised ModuleNotFoundError.*\(mine\.py, line 1\)"),
        ("raise SystemExit(3)\n", "f", "raised SystemExit: 3"),
    ],
)
def test_a_file_that_cannot_be_used_is_one_line(tmp_path, source, attribute, told):
    path = tmp_path / "mine.py"
    path.write_text(source)
    with pytest.raises(UserError, match=told) as error:
        load_from_file("checker", str(path), attribute)
    assert "\n" not in str(error.value)


def test_a_path_that_is_not_there_has_its_nearest(tmp_path):
    (tmp_path / "checkers.py").write_text("x = 1\n")
    with pytest.raises(
        UserError, match=r"no such file; write it as path/file\.py:attribute; did you mean '.*checkers\.py'"
    ):
        load_from_file("checker", str(tmp_path / "chekers.py"), "x")
    with pytest.raises(UserError, match="Is a directory"):
        load_from_file("checker", str(tmp_path), "x")
    with pytest.raises(UserError, match="cannot read"):
        load_from_file("checker", "null\0.py", "x")
