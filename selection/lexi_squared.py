"""Lexicase selection with pressure towards small individuals."""

from __future__ import annotations

import dataclasses
from typing import Literal

import numpy as np

from selection.distinct import classes_of_equal_rows
from selection.lexicase import Engine, check_engine, select_within
from selection.selector import Context, Errors, Indices, validated


@dataclasses.dataclass(frozen=True)
class LexiSquared:
    """Lexi-squared selection: lexicase selection with lexicographic parsimony pressure.

    The size takes part as one more case. As the last one it decides only between individuals that are equal on all
    cases; shuffled, it stands in the random order like any other. Needs `context.sizes`.

    Source: de Lima, Carvalho, Dias, Naredo, Sullivan, Ryan 2022, "Lexi2: lexicase selection with lexicographic
    parsimony pressure", GECCO.

    Attributes:
        size_as: "last" or "shuffled".
        engine: As for `selection.lexicase.Lexicase`.

    Raises:
        ValueError: If an option is out of its range, or no sizes are given.
    """

    size_as: Literal["last", "shuffled"] = "last"
    engine: Engine = "numpy"

    def __post_init__(self) -> None:
        if self.size_as not in ("last", "shuffled"):
            raise ValueError(f"size_as is {self.size_as!r}; use 'last' or 'shuffled'")
        check_engine(self.engine)

    def select(self, errors: Errors, k: int, rng: np.random.Generator, context: Context | None = None) -> Indices:
        """Choose `k` individuals; see `selection.selector.Selector.select`."""
        errors, context = validated(errors, k, context)
        sizes = np.asarray(context.require("sizes", "lexi-squared selection"), dtype=np.float64)
        if self.size_as == "shuffled":
            return select_within(np.column_stack([errors, sizes + 0.0]), None, k, rng, self.engine)
        # Lexicase selection ends with one class of equals, whatever their number: only the smallest need take part.
        class_of = classes_of_equal_rows(errors).class_of
        smallest = np.full(len(errors), np.inf)
        np.minimum.at(smallest, class_of, sizes)
        kept = np.flatnonzero(sizes == smallest[class_of])
        chosen: Indices = kept[select_within(errors[kept], None, k, rng, self.engine)]
        return chosen
