"""Signature: the typed head of a function to be written, in a notation that all languages share.

Written as in Python: ``gcd(a: int, b: int) -> int``. The types are ``int`` (64 bits), ``float``, ``bool``, ``str``,
``list[T]``, ``tuple[T, ...one each]``, ``dict[K, V]``, ``set[T]`` and ``Optional`` as ``T | None``; ``Any`` where a
problem does not say, which languages with static types refuse.
"""

from __future__ import annotations

import ast
import keyword
from dataclasses import dataclass

from evaluators.exceptions import UserError

_SCALARS = frozenset({"int", "float", "bool", "str", "Any"})
_ARITY = {"list": 1, "set": 1, "dict": 2, "tuple": None}


@dataclass(frozen=True)
class DataType:
    """A type of plain data.

    Attributes:
        name: ``int``, ``float``, ``bool``, ``str``, ``Any``, ``list``, ``set``, ``dict``, ``tuple`` or ``optional``.
        arguments: The types inside a container.
    """

    name: str
    arguments: tuple[DataType, ...] = ()

    def __str__(self) -> str:
        if self.name == "optional":
            return f"{self.arguments[0]} | None"
        if not self.arguments:
            return self.name
        return f"{self.name}[{', '.join(map(str, self.arguments))}]"


@dataclass(frozen=True)
class Signature:
    """Name, parameters and result of a function.

    Attributes:
        name: Of the function.
        parameters: Pairs of name and type.
        returns: Type of the result.
    """

    name: str
    parameters: tuple[tuple[str, DataType], ...]
    returns: DataType

    def __str__(self) -> str:
        inside = ", ".join(f"{name}: {kind}" for name, kind in self.parameters)
        return f"{self.name}({inside}) -> {self.returns}"

    @classmethod
    def parse(cls, text: str) -> Signature:
        """Read ``name(parameter: type, ...) -> type``.

        Args:
            text: The signature, with or without a leading ``def`` and a trailing colon.

        Raises:
            UserError: If the text is no such signature, or names a type that is not plain data.
        """
        head = text.strip().removeprefix("def ").rstrip(":").strip()
        try:
            module = ast.parse(f"def {head}: pass")
        except SyntaxError as error:
            raise UserError(
                f"signature {text!r} cannot be read ({error.msg}): write it as 'gcd(a: int, b: int) -> int'"
            ) from error
        node = module.body[0]
        if not isinstance(node, ast.FunctionDef) or node.returns is None or len(module.body) != 1:
            raise UserError(f"signature {text!r} has no result type: write it as 'gcd(a: int, b: int) -> int'")
        extra = node.args.vararg or node.args.kwarg or node.args.kwonlyargs or node.args.defaults
        if extra or node.args.posonlyargs:
            raise UserError(
                f"signature {text!r}: only plain parameters are allowed, as in 'gcd(a: int, b: int) -> int'"
            )
        parameters = []
        for argument in node.args.args:
            if argument.annotation is None:
                raise UserError(
                    f"signature {text!r}: parameter {argument.arg!r} has no type; write '{argument.arg}: int'"
                )
            parameters.append((argument.arg, _data_type(argument.annotation, text)))
        return cls(node.name, tuple(parameters), _data_type(node.returns, text))


def _data_type(node: ast.expr, text: str) -> DataType:
    if isinstance(node, ast.Name) and node.id in _SCALARS:
        return DataType(node.id)
    if isinstance(node, ast.Name) and node.id in _ARITY and not keyword.iskeyword(node.id):
        raise UserError(f"signature {text!r}: say what {node.id} holds, as in '{node.id}[int]'")
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        if isinstance(node.right, ast.Constant) and node.right.value is None:
            return DataType("optional", (_data_type(node.left, text),))
    elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id in _ARITY:
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        arity = _ARITY[node.value.id]
        if arity is not None and len(inner) != arity:
            raise UserError(f"signature {text!r}: {node.value.id} takes {arity} type(s), {len(inner)} given")
        return DataType(node.value.id, tuple(_data_type(item, text) for item in inner))
    raise UserError(
        f"signature {text!r}: type {ast.unparse(node)!r} is not known; allowed are int, float, bool, str, Any, "
        "list[T], set[T], dict[K, V], tuple[T, ...] and T | None"
    )
