"""Replies in the manner of small and large models, and the program that each of them holds."""

from __future__ import annotations

import ast
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operators.extraction import extract_program

PYTHON = ("python", "py", "python3")
CPP = ("cpp", "c++", "cc", "cxx")


class Reply(NamedTuple):
    name: str
    text: str
    source: str
    how: str
    tags: tuple[str, ...] = PYTHON
    function: str | None = None


GCD = "def gcd(a, b):\n    while b:\n        a, b = b, a % b\n    return a\n"
ECHO = "import sys\nfor line in sys.stdin:\n    print(line.strip())\n"
MAIN = (
    "#include <iostream>\n\nint main() {\n    long long n;\n    std::cin >> n;\n    std::cout << n * 2 << '\\n';\n}\n"
)
HELPER = (
    "#include <vector>\n\nlong long total(const std::vector<long long>& xs) {\n"
    "    long long s = 0;\n    for (auto x : xs) s += x;\n    return s;\n}\n"
)

REPLIES = [
    # fences as they should be
    Reply("one_block", f"```python\n{GCD}```", GCD, "fence", PYTHON, "gcd"),
    Reply("prose_around", f"Sure! Here it is:\n\n```python\n{ECHO}```\n\nIt echoes its input.", ECHO, "fence"),
    Reply("crlf", f"Here:\r\n\r\n```python\r\n{GCD}```\r\n".replace("\n", "\r\n").replace("\r\r", "\r"), GCD, "fence"),
    Reply("tildes", f"~~~python\n{ECHO}~~~", ECHO, "fence"),
    Reply("tag_py", f"```py\n{GCD}```", GCD, "fence"),
    Reply("tag_upper_case", f"```Python\n{GCD}```", GCD, "fence"),
    Reply("tag_after_space", f"``` python\n{GCD}```", GCD, "fence"),
    Reply("tag_cpp", f"```cpp\n{MAIN}```", MAIN, "fence", CPP),
    Reply("tag_c_plus_plus", f"```c++\n{MAIN}```", MAIN, "fence", CPP),
    Reply("tag_with_title", f'```python title="gcd.py"\n{GCD}```', GCD, "fence"),
    Reply("tag_with_braces", f"```{{.python .numberLines}}\n{GCD}```", GCD, "fence"),
    Reply("tag_with_lines", f"```cpp{{1,3-4}}\n{MAIN}```", MAIN, "fence", CPP),
    Reply("tag_with_file", f"```python:solution.py\n{GCD}```", GCD, "fence"),
    Reply("no_tag", f"The program:\n```\n{ECHO}```", ECHO, "fence"),
    Reply("no_blank_line_before", f"Here is the program:\n```python\n{ECHO}```\nDone.", ECHO, "fence"),
    Reply("longer_closing_fence", f"```python\n{GCD}`````\nEnd.", GCD, "fence"),
    Reply("blank_lines_inside", f"```python\n\n\n{GCD}\n\n```", GCD, "fence"),
    # several blocks
    Reply(
        "function_then_usage",
        f"```python\n{GCD}```\nExample usage:\n```python\nprint(gcd(12, 18))  # prints 6\n```",
        GCD,
        "fence",
        PYTHON,
        "gcd",
    ),
    Reply(
        "function_then_long_usage",
        f"```python\n{GCD}```\n```python\nfor a in range(10):\n    for b in range(9):\n        print(a, b, gcd(a, b))\n"
        "print('all done')\n```",
        GCD,
        "fence",
        PYTHON,
        "gcd",
    ),
    Reply(
        "function_then_usage_without_a_name",
        f"```python\n{GCD}```\nTry it:\n```python\nprint(gcd(4, 6))\n```",
        GCD,
        "fence",
    ),
    Reply(
        "wrong_then_right",
        f"The original:\n```python\n{GCD.replace('a % b', 'a // b')}```\nThe corrected program:\n```python\n{GCD}```",
        GCD,
        "fence",
        PYTHON,
        "gcd",
    ),
    Reply(
        "stub_then_whole",
        f"We start from\n```python\ndef gcd(a, b):\n    pass\n```\nand fill it in:\n```python\n{GCD}```",
        GCD,
        "fence",
        PYTHON,
        "gcd",
    ),
    Reply(
        "whole_then_changed_line",
        f"```python\n{GCD}```\nThe line that matters is\n```python\na, b = b, a % b\n```",
        GCD,
        "fence",
    ),
    Reply(
        "shell_then_program",
        f"```bash\npip install nothing\n```\n```python\n{ECHO}```\n```bash\npython solution.py < input.txt\n```",
        ECHO,
        "fence",
    ),
    Reply("program_then_output", f"```python\n{ECHO}```\nOutput:\n```\nhello\nworld\n```", ECHO, "fence"),
    Reply(
        "untagged_output_before_untagged_program",
        f"For the input\n```\n3 4\n```\nuse\n```\n{ECHO}```",
        ECHO,
        "fence",
    ),
    Reply("other_language_beside", f"```cpp\n{MAIN}```\nIn Python:\n```python\n{ECHO}```", ECHO, "fence"),
    Reply("c_then_cpp", f"```c\nint main(void) {{ return 0; }}\n```\n```c++\n{MAIN}```", MAIN, "fence", CPP),
    Reply("cpp_tagged_as_c", f"```c\n{MAIN}```", MAIN, "fence", CPP),
    Reply(
        "cpp_function_then_demo_main",
        f"```cpp\n{HELPER}```\nTo try it:\n```cpp\nint main() {{\n    std::cout << total({{1, 2, 3}}) << std::endl;\n"
        "    return 0;\n}\n```",
        HELPER,
        "fence",
        CPP,
        "total",
    ),
    Reply(
        "cpp_fragments_of_one_program",
        f"First a helper:\n```cpp\n{HELPER}```\nThen:\n```cpp\nint main() {{\n    return total({{}});\n}}\n```",
        HELPER + "\nint main() {\n    return total({});\n}\n",
        "joined",
        CPP,
    ),
    Reply(
        "imports_apart",
        "Import first:\n```python\nimport math\n```\nThen the function:\n"
        "```python\ndef root(n):\n    return math.isqrt(n)\n```",
        "import math\n\ndef root(n):\n    return math.isqrt(n)\n",
        "joined",
        PYTHON,
        "root",
    ),
    Reply(
        "steps_then_whole",
        "Step 1\n```python\nimport sys\n```\nStep 2\n```python\ndata = sys.stdin.read()\n```\nAll:\n"
        "```python\nimport sys\ndata = sys.stdin.read()\nprint(data)\n```",
        "import sys\ndata = sys.stdin.read()\nprint(data)\n",
        "fence",
    ),
    Reply(
        "chain_of_helpers",
        "```python\nimport math\n```\n```python\ndef half(n):\n    return math.floor(n / 2)\n```\n"
        "```python\nprint(half(int(input())))\n```",
        "import math\n\ndef half(n):\n    return math.floor(n / 2)\n\nprint(half(int(input())))\n",
        "joined",
    ),
    # nested, cut and misplaced fences
    Reply("four_backticks_outside", f"````markdown\nText\n```python\n{GCD}```\n````", GCD, "fence"),
    Reply("four_backticks_of_python", f"````python\n{GCD}````", GCD, "fence"),
    Reply("fence_opened_twice", f"```\n```python\n{ECHO}```\n```", ECHO, "unclosed"),
    Reply("unclosed", f"Here:\n```python\n{ECHO}", ECHO, "unclosed"),
    Reply("unclosed_with_prose_after", f"```python\n{ECHO}\nThis program echoes its input.\n", ECHO, "unclosed"),
    Reply("cut_by_length", "```python\ndef f(a):\n    return [a for", "def f(a):\n    return [a for\n", "unclosed"),
    Reply("closed_on_a_line_of_code", "```python\nprint(input())```\nThat is all.", "print(input())\n", "unclosed"),
    Reply("tildes_around_backticks", f"~~~\n```python\n{GCD}```\n~~~", GCD, "fence"),
    Reply(
        "fence_in_a_string",
        '```python\nmark = "```"\nprint(mark + input() + mark)\n```',
        'mark = "```"\nprint(mark + input() + mark)\n',
        "fence",
    ),
    Reply(
        "fence_in_a_docstring",
        '```python\n"""Doubles.\n\n```\nf(1)\n```\n"""\ndef f(n):\n    return 2 * n\n```\nDone.',
        '"""Doubles.\n\n```\nf(1)\n```\n"""\ndef f(n):\n    return 2 * n\n',
        "extended",
        PYTHON,
        "f",
    ),
    Reply(
        "indented_fence_in_a_docstring",
        '```python\ndef f(n):\n    """\n    ```\n    f(1)\n    ```\n    """\n    return n\n```',
        'def f(n):\n    """\n    ```\n    f(1)\n    ```\n    """\n    return n\n',
        "fence",
    ),
    Reply(
        "in_a_list",
        "1. Read\n\n   ```python\n   n = int(input())\n   print(n)\n   ```\n",
        "n = int(input())\nprint(n)\n",
        "fence",
    ),
    Reply(
        "in_a_list_too_deep", "- Do\n\n      ```python\n      print(input())\n      ```\n", "print(input())\n", "fence"
    ),
    Reply("indented_under_prose", "Solution:\n    ```python\n    print(input())\n    ```", "print(input())\n", "fence"),
    Reply("in_a_quotation", "> ```python\n> print(input())\n> ```", "print(input())\n", "fence"),
    Reply(
        "content_indented",
        "```python\n    n = int(input())\n    print(n)\n```",
        "n = int(input())\nprint(n)\n",
        "fence",
    ),
    Reply("in_html", f"<details>\n<summary>Code</summary>\n```python\n{ECHO}```\n</details>", ECHO, "fence"),
    Reply("thoughts_first", f"<think>\n```python\nprint('no')\n```\n</think>\n```python\n{ECHO}```", ECHO, "fence"),
    Reply("tabs", "```python\nif input():\n\tprint(1)\n```", "if input():\n\tprint(1)\n", "fence"),
    Reply("syntax_error_is_kept", "```python\nprint(1\n```", "print(1\n", "fence"),
    Reply("untagged_syntax_error_is_kept", "```\nn = int(input(\nprint(n)\n```", "n = int(input(\nprint(n)\n", "fence"),
    # no fences
    Reply("bare_python", ECHO, ECHO, "unfenced"),
    Reply("bare_cpp", MAIN, MAIN, "unfenced", CPP),
    Reply("bare_with_prose_before", f"Here is the program:\n\n{ECHO}", ECHO, "unfenced"),
    Reply("bare_with_prose_around", f"Here is the program:\n\n{ECHO}\nIt echoes each line.", ECHO, "unfenced"),
    Reply("bare_cpp_with_prose", f"Use this program:\n{MAIN}\nThis doubles the number.", MAIN, "unfenced", CPP),
    Reply("stray_closing_fence", f"{ECHO}```", ECHO, "unfenced"),
    Reply("stray_closing_fence_then_prose", f"{ECHO}```\nThis program echoes its input.", ECHO, "unfenced"),
    Reply("inline_code", "`print(input())`", "print(input())\n", "unfenced"),
    Reply("inline_code_of_three", "```print(input())```", "print(input())\n", "unfenced"),
    Reply("user_language", "```rust\nfn main() {}\n```", "fn main() {}\n", "fence", ("rust", "rs")),
    Reply("user_language_bare", "puts gets.to_i * 2", "puts gets.to_i * 2\n", "unfenced", ("ruby", "rb")),
    Reply("user_language_beside_shell", "```sh\nruby a.rb\n```\n```\nputs 1\n```", "puts 1\n", "fence", ("ruby",)),
    # no program
    Reply("empty", "", "", "none"),
    Reply("blank", " \n\n\t\n", "", "none"),
    Reply("refusal", "I'm sorry, but I can't help with that.", "", "none"),
    Reply("one_word", "Sorry", "", "none"),
    Reply("empty_block", "```python\n```", "", "none"),
    Reply("only_shell", "```bash\npython solution.py\n```", "", "none"),
    Reply("prose_in_a_block", "```\nThis can not be solved at all.\n```", "", "none"),
    Reply("prose_for_a_user_language", "This is a problem without any answer.", "", "none", ("rust",)),
]


@pytest.mark.parametrize("reply", REPLIES, ids=lambda reply: reply.name)
def test_reply(reply: Reply) -> None:
    found = extract_program(reply.text, reply.tags, function=reply.function)
    assert (found.source, found.how) == (reply.source, reply.how)


@given(st.text(alphabet="`~ \n\t>-1.pythonc+def():=\"'{};#", max_size=200))
def test_any_text_is_survived(text: str) -> None:
    for tags in (PYTHON, CPP, ("rust",)):
        found = extract_program(text, tags)
        assert (found.source == "") == (found.how == "none")


@given(st.text(alphabet=st.characters(blacklist_categories=("Cs",)), max_size=60))
def test_a_string_in_a_block_does_not_change_it(text: str) -> None:
    source = f"text = {text!r}\nprint(input() + text)\n"
    ast.parse(source)
    assert extract_program(f"Here:\n```python\n{source}```\nDone.", PYTHON).source == source


def test_surrogates_and_null_bytes_are_no_trouble() -> None:
    assert extract_program("\x00", PYTHON).how == "none"
    assert extract_program("```python\nprint('\ud800')\n```", PYTHON).how == "fence"
