"""Classes of individuals with equal errors, which selection by cases cannot tell apart."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import NDArray

from selection.selector import Indices


@dataclasses.dataclass(frozen=True, eq=False)
class Classes:
    """A partition of `N` individuals into `C` classes of equals.

    Selecting among one individual a class, and then a member of its class at random, has exactly the same
    distribution as selecting among all, and spares the comparison of clones case by case.

    Attributes:
        representatives: The first member of each class `[C]`, ascending.
        class_of: The class of each individual `[N]`.
        sizes: Number of members of each class `[C]`.
    """

    representatives: Indices
    class_of: Indices
    sizes: Indices

    def draw_members(self, classes: Indices, rng: np.random.Generator) -> Indices:
        """Return a random member of each of the given classes."""
        by_class = np.argsort(self.class_of, kind="stable")
        starts = np.cumsum(self.sizes) - self.sizes
        members: Indices = by_class[starts[classes] + rng.integers(0, self.sizes[classes])]
        return members


def classes_of_equal_rows(matrix: NDArray[Any]) -> Classes:
    """Group the rows of a matrix without NaN that are equal byte for byte.

    Args:
        matrix: Any matrix `[N, T]`, in which equal numbers are equal bytes (so -0.0 does not occur).
    """
    contents: list[Any]
    if matrix.shape[1] == 0:
        contents = [b""] * len(matrix)
    else:
        # Each row as one opaque value, which becomes bytes.
        matrix = np.ascontiguousarray(matrix)
        contents = matrix.view(np.dtype((np.void, matrix.shape[1] * matrix.itemsize))).ravel().tolist()
    first_seen: dict[bytes, int] = {}
    first_equal = [first_seen.setdefault(content, row) for row, content in enumerate(contents)]
    representatives = np.fromiter(first_seen.values(), dtype=np.int64, count=len(first_seen))
    class_of = np.searchsorted(representatives, np.array(first_equal, dtype=np.int64))
    sizes = np.bincount(class_of, minlength=len(representatives)).astype(np.int64)
    return Classes(representatives, class_of, sizes)
