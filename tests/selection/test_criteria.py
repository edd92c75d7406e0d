import numpy as np
import pytest

from selection.criteria import check_objectives, total_errors, without_infinities


def test_total_of_both_infinities_is_the_worst():
    totals = total_errors(np.array([[np.inf, -np.inf], [1.0, 2.0], [-np.inf, 0.0]]))
    np.testing.assert_array_equal(totals, [np.inf, 3.0, -np.inf])


def test_infinities_become_finite_and_keep_their_order():
    table = np.array([[1.0, np.inf, 5.0, np.inf], [4.0, 2.0, np.inf, -np.inf], [np.inf, -np.inf, 5.0, np.inf]])
    expected = [[1.0, 3.0, 5.0, 1.0], [4.0, 2.0, 6.0, -1.0], [7.0, 1.0, 5.0, 1.0]]
    np.testing.assert_array_equal(without_infinities(table), expected)


@pytest.mark.parametrize("objectives", [("error",), ("error", "error"), ("error", "depth"), ()])
def test_objectives_are_checked(objectives):
    with pytest.raises(ValueError, match="at least two different ones of 'error', 'size', 'age' and 'cost'"):
        check_objectives(objectives)
