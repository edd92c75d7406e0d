"""Testing: what users need to test searches, operators and plug-ins of their own, without a model or a sandbox.

``ScriptedModel`` answers by a function of the request, ``RecordedModel`` from a cassette, ``ScriptedExecutor`` runs
programs by a function of program and case. ``Ladder`` is a whole small world for searches.

The contracts are what every plug-in of a kind must do, as a test for its author: ``check_selector(Mine)`` returns, or
raises an ``AssertionError`` with a line for each rule that is broken. pytest is not needed; there, one line is a test::

    def test_mine():
        check_selector(Mine)
"""

from evaluators.scripted_executor import ScriptedExecutor
from evo.testing.executors import check_executor
from evo.testing.ladder import Ladder
from evo.testing.models import check_model
from evo.testing.samplers import check_sampler
from evo.testing.selectors import check_selector
from evo.testing.trees import check_tree
from operators.models.recorded import RecordedModel
from operators.models.scripted import ScriptedModel

__all__ = [
    "Ladder",
    "RecordedModel",
    "ScriptedExecutor",
    "ScriptedModel",
    "check_executor",
    "check_model",
    "check_sampler",
    "check_selector",
    "check_tree",
]
