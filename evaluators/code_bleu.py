"""CodeBLEU: how similar two programs are, by tokens, syntax trees and flow of data.

S. Ren et al., "CodeBLEU: a Method for Automatic Evaluation of Code Synthesis", 2020 (arXiv:2009.10297). This is an
implementation of our own, on Python's ``ast`` and for C++ on tree-sitter (:mod:`evaluators.code_bleu_cpp`), so its
figures are near those of other implementations, but not equal:

- Python programs are compared as ``ast.unparse`` writes them, without comments and docstrings; a prediction that does
  not parse is compared as it stands, and has no syntax match and no data flow.
- N-gram match: BLEU-4 of one pair (Papineni et al. 2002) with 1 added to matches and totals of bigrams and longer
  (Lin and Och 2004), so that a short program is not 0.
- Weighted match: precision of single tokens, a keyword counting five times as much as any other token, with BLEU's
  brevity penalty.
- Syntax match: subtrees with at least one child that the prediction shares with the reference (clipped counts), over
  those of the reference. Names and constants are left out of them; operators are part of them.
- Data-flow match: edges that the prediction shares with the reference (clipped counts), over those of the reference.
  An edge says that a variable was computed from some others, or that a value that is read comes from a variable.
  Variables are numbered in the order in which they are bound; names that are never bound (builtins) stay.

A reference without any edge has no data-flow match: that part is None, and the other three share its weight. (The
package ``codebleu`` counts it as 1; it gives an empty prediction 0.25.) The same holds for a reference without any
subtree. An empty prediction scores 0 in every part.
"""

from __future__ import annotations

import ast
import keyword
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TypeVar

from evaluators.exceptions import unknown_name
from evaluators.python_text import read_python

_TOKEN = re.compile(
    r"""\w+|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\*\*=?|//=?|<<=?|>>=?|[-+*/%@&|^<>=!:]=|->|[^\w\s]"""
)
_KEYWORDS = frozenset(keyword.kwlist)
_KEYWORD_WEIGHT = 5
_LONGEST_NGRAM = 4
_WEIGHTS = (0.25, 0.25, 0.25, 0.25)
_Key = TypeVar("_Key")

Edge = tuple[str, str, tuple[str, ...]]
"""An edge of the data flow: a variable, a relation, and the variables that it comes from."""


@dataclass(frozen=True)
class CodeBleu:
    """The parts, each in ``[0, 1]``.

    Attributes:
        ngram: N-gram match.
        weighted_ngram: Match of single tokens, keywords weighted.
        syntax: Match of subtrees; None if the reference has none.
        dataflow: Match of edges of the data flow; None if the reference has none.
    """

    ngram: float
    weighted_ngram: float
    syntax: float | None
    dataflow: float | None

    @property
    def score(self) -> float:
        """The mean of the parts that are defined, in ``[0, 1]``; papers give it times 100."""
        return self.weighted_score(_WEIGHTS)

    def weighted_score(self, weights: Sequence[float]) -> float:
        """A weighted mean of the parts that are defined.

        Args:
            weights: Four numbers from 0 upwards, in the order of the attributes; not all 0.

        Raises:
            ValueError: If the weights are no such numbers.
        """
        if len(weights) != 4 or min(weights) < 0 or not 0 < sum(weights) < math.inf:
            raise ValueError(f"weights are {tuple(weights)}: they must be four numbers from 0 upwards, as 0.25 each")
        parts = (self.ngram, self.weighted_ngram, self.syntax, self.dataflow)
        defined = [(part, weight) for part, weight in zip(parts, weights, strict=True) if part is not None]
        total = sum(weight for _, weight in defined)
        return sum(part * weight for part, weight in defined) / total if total else 0.0


@dataclass(frozen=True)
class CodeFacts:
    """What is compared of a program.

    Attributes:
        tokens: In the order of the source.
        keywords: The language's.
        subtrees: How often each subtree occurs.
        edges: How often each edge of the data flow occurs.
    """

    tokens: tuple[str, ...]
    keywords: frozenset[str]
    subtrees: Counter[str]
    edges: Counter[Edge]


def code_bleu(prediction: str, reference: str, language: str = "python") -> CodeBleu:
    """How similar a prediction is to a reference.

    Both must have the same form, such as the whole function: where a benchmark's reference is a body, put its head
    before it.

    Args:
        prediction: Any text.
        reference: A program that is not empty.
        language: ``"python"`` or ``"cpp"``.

    Raises:
        ValueError: If the reference holds nothing, or does not parse (as Python).
        UserError: If the language is another one, or what C++ needs is not installed.
    """
    if language == "python":
        read = _python_facts
    elif language == "cpp":
        from evaluators.code_bleu_cpp import cpp_facts

        read = cpp_facts
    else:
        raise unknown_name("language of CodeBLEU", language, ("python", "cpp"))
    wanted, given = read(reference), read(prediction)
    if not wanted.tokens or (language == "python" and not wanted.subtrees):
        raise ValueError("the reference of a CodeBLEU must be a program that is not empty")
    return CodeBleu(
        ngram=_bleu(given.tokens, wanted.tokens),
        weighted_ngram=_weighted_precision(given.tokens, wanted.tokens, wanted.keywords),
        syntax=_recall(given.subtrees, wanted.subtrees) if wanted.subtrees else None,
        dataflow=_recall(given.edges, wanted.edges) if wanted.edges else None,
    )


def _python_facts(source: str) -> CodeFacts:
    read = read_python(source)
    if read is None:
        return CodeFacts(tuple(_TOKEN.findall(source)), _KEYWORDS, Counter(), Counter())
    subtrees, edges = Counter(_subtrees(read.tree)), Counter(_dataflow(read.tree))
    return CodeFacts(tuple(_TOKEN.findall(read.text)), _KEYWORDS, subtrees, edges)


def _bleu(given: Sequence[str], wanted: Sequence[str]) -> float:
    logarithms = 0.0
    for length in range(1, _LONGEST_NGRAM + 1):
        ours, theirs = _ngrams(given, length), _ngrams(wanted, length)
        added = 1 if length > 1 else 0
        matches, total = (ours & theirs).total() + added, ours.total() + added
        if matches == 0:
            return 0.0
        logarithms += math.log(matches / total)
    return _brevity(given, wanted) * math.exp(logarithms / _LONGEST_NGRAM)


def _ngrams(tokens: Sequence[str], length: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(tokens[start : start + length]) for start in range(len(tokens) - length + 1))


def _weighted_precision(given: Sequence[str], wanted: Sequence[str], keywords: frozenset[str]) -> float:
    ours, theirs = Counter(given), Counter(wanted)

    def weight(counts: Counter[str]) -> int:
        return sum(count * (_KEYWORD_WEIGHT if token in keywords else 1) for token, count in counts.items())

    return _brevity(given, wanted) * weight(ours & theirs) / weight(ours) if given else 0.0


def _brevity(given: Sequence[str], wanted: Sequence[str]) -> float:
    return 1.0 if len(given) >= len(wanted) else math.exp(1 - len(wanted) / max(1, len(given)))


def _recall(given: Counter[_Key], wanted: Counter[_Key]) -> float:
    return (given & wanted).total() / wanted.total()


def _subtrees(tree: ast.AST) -> list[str]:
    """A digest for each subtree with at least one child; equal subtrees have equal ones."""
    found: list[str] = []
    digests: dict[int, str] = {}
    for node in reversed(list(ast.walk(tree))):  # children before parents
        children = [
            digests[id(child)] for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr_context)
        ]
        shape = f"{type(node).__name__}({','.join(children)})"
        digests[id(node)] = short_form(shape)
        if children:
            found.append(digests[id(node)])
    return found


def short_form(shape: str) -> str:
    """A text that stands for a subtree, itself or its digest: that of a deep tree would grow with each level."""
    return shape if len(shape) < 80 else "#" + blake2b(shape.encode(), digest_size=12).hexdigest()


def _dataflow(tree: ast.Module) -> list[Edge]:
    """Edges of the data flow, in the order of the source."""
    bound = {name: f"variable {number}" for number, name in enumerate(dict.fromkeys(_bindings(tree)))}

    def renamed(names: Iterator[str]) -> tuple[str, ...]:
        return tuple(sorted({bound.get(name, name) for name in names}))

    edges: list[Edge] = []
    for node in ast.walk(tree):
        for target, value in _assignments(node):
            edges += [(bound[name], "computed from", renamed(_reads(value))) for name in _targets(target)]
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            sources = renamed(iter([node.target.id, *_reads(node.value)]))
            edges.append((bound[node.target.id], "computed from", sources))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in bound:
            edges.append((bound[node.id], "comes from", (bound[node.id],)))
    return edges


def _assignments(node: ast.AST) -> list[tuple[ast.expr, ast.expr]]:
    """Pairs of a target and the expression that it gets its value from."""
    if isinstance(node, ast.Assign):
        return [(target, node.value) for target in node.targets]
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        return [(node.target, node.value)]
    if isinstance(node, ast.NamedExpr):
        return [(node.target, node.value)]
    if isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
        return [(node.target, node.iter)]
    if isinstance(node, ast.withitem) and node.optional_vars is not None:
        return [(node.optional_vars, node.context_expr)]
    return []


def _bindings(tree: ast.AST) -> Iterator[str]:
    """Names of parameters and variables where they are bound, in the order of the source."""
    stack: list[ast.AST] = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.arg):
            yield node.arg
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        if isinstance(node, ast.ExceptHandler) and node.name:
            yield node.name
        stack += reversed(list(ast.iter_child_nodes(node)))


def _targets(target: ast.expr) -> Iterator[str]:
    for node in ast.walk(target):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _reads(value: ast.expr) -> Iterator[str]:
    for node in ast.walk(value):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id
