"""What CodeBLEU compares of a C++ program, read by tree-sitter; see :mod:`evaluators.code_bleu`.

- Tokens are the leaves of the syntax tree, without comments; a literal is one token.
- Subtrees: nodes with at least one child, brackets, commas, semicolons and comments left out. Names, literals and names
  of types count by their kind, operators and keywords by their text. A subtree with a syntax error in it is left out,
  so that what could be read of a broken program counts.
- Edges: a variable is computed from those in its initial value, in what is assigned to it, in the range that it runs
  over, and (by ``++``, ``--``, ``+=`` and the like) from itself; every other place where a variable stands reads it.
  Variables are parameters and what a declaration names; elements, members and functions are none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

from evaluators.code_bleu import CodeFacts, Edge, short_form
from evaluators.exceptions import UserError

_KEYWORDS = """
alignas alignof auto bool break case catch char class const constexpr const_cast continue decltype default
delete do double dynamic_cast else enum explicit extern false float for friend goto if inline int long mutable
namespace new noexcept nullptr operator private protected public register reinterpret_cast return short signed
sizeof static static_assert static_cast struct switch template this thread_local throw true try typedef typeid
typename union unsigned using virtual void volatile while
"""
_PUNCTUATION = frozenset(("(", ")", "{", "}", "[", "]", ",", ";"))
_LITERALS = frozenset(("string_literal", "char_literal", "raw_string_literal", "system_lib_string"))
_DECLARING = frozenset(
    ("declaration", "init_declarator", "parameter_declaration", "optional_parameter_declaration", "for_range_loop")
)

_Node = Any


def cpp_facts(source: str) -> CodeFacts:
    """Tokens, subtrees and data flow of a text, as far as it can be read as C++.

    Raises:
        UserError: If tree-sitter or its grammar of C++ is not installed.
    """
    root = _parser().parse(source.encode("utf-8", "replace")).root_node
    nodes = list(_nodes(root))
    leaves = [_text(node) for node in nodes if not _children(node) and node is not root]
    tokens = tuple(token for token in leaves if token)  # what the grammar misses has no text
    return CodeFacts(tokens, frozenset(_KEYWORDS.split()), Counter(_subtrees(nodes)), Counter(_dataflow(nodes)))


@cache
def _parser() -> Any:
    try:
        import tree_sitter
        import tree_sitter_cpp
    except ImportError as error:
        raise UserError(
            f"CodeBLEU of C++ needs {error.name}, which is not installed: pip install 'evo-synthesis[codebleu]'"
        ) from error
    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_cpp.language()))


def _children(node: _Node) -> list[_Node]:
    return [] if node.type in _LITERALS else [child for child in node.children if child.type != "comment"]


def _nodes(root: _Node) -> Iterator[_Node]:
    """All nodes in the order of the source, parents first."""
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        stack += reversed(_children(node))


def _text(node: _Node) -> str:
    return str(node.text.decode("utf-8", "replace"))


def _subtrees(nodes: list[_Node]) -> Iterator[str]:
    shapes: dict[int, str] = {}
    for node in reversed(nodes):  # children before parents
        children = [child for child in _children(node) if child.type not in _PUNCTUATION]
        shapes[node.id] = short_form(f"{node.type}({','.join(shapes[child.id] for child in children)})")
        if children and not node.has_error:
            yield shapes[node.id]


def _dataflow(nodes: list[_Node]) -> Iterator[Edge]:
    declared = [name for node in nodes if node.type in _DECLARING for name in _declared_names(node)]
    declared.sort(key=lambda node: node.start_byte)
    bound = {name: f"variable {number}" for number, name in enumerate(dict.fromkeys(map(_text, declared)))}
    written = {node.id for node in declared}

    def reads(node: _Node | None) -> list[str]:
        found = [] if node is None else [_text(inner) for inner in _nodes(node) if inner.type == "identifier"]
        return [bound.get(name, name) for name in found]

    def computed(target: _Node, sources: list[str]) -> Edge:
        return (bound[_text(target)], "computed from", tuple(sorted(set(sources))))

    for node in nodes:
        if node.type in ("init_declarator", "for_range_loop"):
            value = node.child_by_field_name("value" if node.type == "init_declarator" else "right")
            for name in _declared_names(node):
                yield computed(name, reads(value))
        elif node.type in ("assignment_expression", "update_expression"):
            target = node.child_by_field_name("left" if node.type == "assignment_expression" else "argument")
            if target is not None and target.type == "identifier" and _text(target) in bound:
                written.add(target.id)
                operator = node.child_by_field_name("operator")
                own = [] if operator is not None and operator.type == "=" else [bound[_text(target)]]
                yield computed(target, own + reads(node.child_by_field_name("right")))
        elif node.type == "identifier" and node.id not in written and _text(node) in bound:
            yield (bound[_text(node)], "comes from", (bound[_text(node)],))


def _declared_names(node: _Node) -> list[_Node]:
    """The identifiers that a declaration, or a part of one, names as variables."""
    found, waiting = [], list(node.children_by_field_name("declarator"))
    while waiting:
        declarator = waiting.pop(0)
        if declarator.type == "identifier":
            found.append(declarator)
        elif declarator.type in ("pointer_declarator", "array_declarator", "init_declarator"):
            waiting[:0] = declarator.children_by_field_name("declarator")
        elif declarator.type in ("reference_declarator", "structured_binding_declarator", "parenthesized_declarator"):
            waiting[:0] = declarator.named_children
    return found
