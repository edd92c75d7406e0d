"""SEIDR as the papers define it, and the defects of the released code that must not come back."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from evaluators.exceptions import UserError
from evaluators.execution import CaseResult
from evaluators.verdict import Verdict
from evo.events import CallEnded
from evo.stop import StopReason
from evo.systems.seidr import SeidrSettings
from evo.systems.temperature import raised, scheduled
from evo.testing import Ladder, ScriptedExecutor, ScriptedModel
from selection import SAMPLERS, SELECTORS, TREES


@pytest.mark.parametrize(
    ("arity", "synthesize", "instruct", "debug"),
    [(1, 1, 99, 99), (2, 2, 49, 98), (4, 4, 24, 96), (10, 10, 9, 90), (16, 16, 6, 84), (100, 100, 0, 0)],
)
def test_calls_of_a_tree_of_arity_n_with_100_programs(searched, arity, synthesize, instruct, debug):
    """The counts that the released code makes (measured with a fake model, two explanations a program)."""
    calls = Counter()

    def count(event):
        if isinstance(event, CallEnded):
            calls[event.operator] += 1

    result = searched(
        Ladder(cases=200),
        concurrency=1,
        observer=count,
        seidr__arity=arity,
        seidr__explanations=min(2, arity) if arity > 1 else 1,
        seidr__redraws=0,
        budget__programs=100,
    )
    assert result.stop_reason is StopReason.PROGRAMS
    assert result.spent.programs == 100
    assert calls == Counter({"synthesize": synthesize, "instruct": instruct, "debug": debug}) - Counter()


def test_arity_of_the_budget_is_best_of_n(searched):
    shared = {"seed": 3, "budget__programs": 12}
    tree = searched(seidr__arity=12, seidr__temperature="constant", **shared)
    best_of_n = searched(system="best-of-n", **shared)
    assert [each.genome for each in tree.individuals] == [each.genome for each in best_of_n.individuals]


def test_each_visible_case_judges_with_its_own_example(searched):
    """Released code, defect 1: all critics tested the last example."""
    seen = set()
    ladder = Ladder(cases=5)

    def run(program, case):
        seen.add(case.name)
        return ladder.run(program, case)

    result = searched(ladder, executor=ScriptedExecutor(run), budget__programs=6)
    assert seen == {case.name for case in ladder.problem.cases}
    heights = {len(each.judged.verdicts) - len(each.judged.failing()) for each in result.individuals}
    assert len(heights) > 1


def test_a_generation_has_beam_width_independent_selections(searched):
    """Released code, defect 3: lexicase was a single selection, whatever the beam width."""
    ladder = Ladder(cases=12, highest_draft=12)

    def run(program, case):
        # Each program is the only one to pass one case, so that lexicase has many winners.
        passes = int(program.digest[:4], 16) % 12 == int(case.input)
        return CaseResult(Verdict.COMPLETED, output=case.expected if passes else "no\n")

    parents = []
    for seed in range(6):
        result = searched(
            ladder, executor=ScriptedExecutor(run), seed=seed, seidr__arity=8, seidr__repairs=1,
            seidr__drafts=12, budget__programs=20, seidr__redraws=0,
        )  # fmt: skip
        parents.append(len({each.parents for each in result.individuals if each.generation == 1}))
    assert np.mean(parents) > 3


def test_when_all_candidates_tie_lexicase_still_selects(searched):
    """Released code, defect 3: a tie of all candidates crashed."""
    model = ScriptedModel(lambda request: f"```python\nrungs = 2  # {request.seed}\n```")
    result = searched(Ladder(cases=6), model=model, budget__programs=30, seidr__arity=4)
    assert len(result.individuals) == 30


def test_stops_in_the_middle_of_a_generation(searched):
    result = searched(Ladder(cases=4, highest_draft=4, climbing=0.5), seidr__arity=4, budget__programs=200)
    assert result.stop_reason is StopReason.SOLVED
    assert result.individuals[-1].judged.solved
    assert not any(each.judged.solved for each in result.individuals[:-1])
    assert result.best is result.individuals[-1]


def test_comma_forgets_parents_and_plus_keeps_them(searched):
    """With repairs that only make worse, comma selection falls, and plus holds what it had."""
    ladder = Ladder(cases=20, highest_draft=12, climbing=0.0)
    shared = {
        "seed": 5,
        "budget__programs": 60,
        "seidr__drafts": 6,
        "seidr__beam_width": 1,
        "seidr__repairs": 1,
        "selection": "truncation",
    }
    comma = searched(ladder, seidr__replacement="comma", **shared)
    plus = searched(ladder, seidr__replacement="plus", **shared)

    def last_parents(result):
        last = max(each.generation for each in result.individuals)
        by_id = {each.id: each for each in result.individuals}
        return max(by_id[each.parents[0]].judged.mean_score for each in result.individuals if each.generation == last)

    assert last_parents(plus) == plus.best.judged.mean_score
    assert last_parents(comma) < comma.best.judged.mean_score


def test_a_repair_equal_to_a_known_program_is_charged_and_drawn_again_hotter(searched):
    temperatures = []

    def reply(request):
        if request.operator == "instruct":
            return "no idea"
        if request.operator == "debug":
            temperatures.append(request.sampling.temperature)
            return (
                "```python\nrungs = 1\n```"
                if len(request.path) and request.path[-1] < 2
                else "```python\nrungs = 2\n```"
            )
        return "```python\nrungs = 1\n```"

    executed = []

    def run(program, case):
        executed.append(program.source)
        return Ladder().run(program, case)

    result = searched(
        model=ScriptedModel(reply, concurrency=1), executor=ScriptedExecutor(run), seidr__arity=1, seidr__redraws=2,
        budget__programs=4,
    )  # fmt: skip
    assert [each.genome.source for each in result.individuals] == ["rungs = 1\n"] * 3 + ["rungs = 2\n"]
    assert temperatures == sorted(set(temperatures))
    assert result.spent.programs == 4
    assert result.executions == 2
    assert executed.count("rungs = 1\n") == len(Ladder().problem.cases)


def test_redraws_stop_at_the_set_number(searched):
    model = ScriptedModel(lambda request: "```python\nrungs = 1\n```")
    result = searched(model=model, seidr__arity=1, seidr__redraws=3, budget__programs=10)
    attempts = Counter(each.path[:-1] for each in result.individuals if each.operator == "debug")
    assert set(attempts.values()) <= {4, 1}
    assert result.spent.programs == 10


def test_no_explanation_call_for_a_compile_error(searched):
    asked = Counter()

    def observe(event):
        if isinstance(event, CallEnded):
            asked[event.operator] += 1

    class Compiler(ScriptedExecutor):
        async def run(self, program, problem, cases=None):
            execution = await super().run(program, problem, cases)
            return replace(execution, compile_output="solution.cpp:3:1: error: expected ';'\n")

    executor = Compiler(lambda program, case: CaseResult(Verdict.COMPILE_ERROR))
    result = searched(executor=executor, observer=observe, budget__programs=12)
    assert asked["instruct"] == 0
    assert asked["debug"] == 12 - asked["synthesize"]
    assert all("expected ';'" in each.advice for each in result.individuals if each.operator == "debug")


def test_start_repairs_the_given_program_without_drafts(searched, tmp_path):
    program = tmp_path / "mine.py"
    program.write_text("rungs = 5\n")
    result = searched(Ladder(cases=7, climbing=0.6), start=program, seidr__arity=2, budget__programs=100)
    first, *others = result.individuals
    assert (first.operator, first.genome.source) == ("start", "rungs = 5\n")
    assert {each.operator for each in others} == {"debug"}
    assert result.solved
    assert result.spent.programs == len(others)


def test_a_start_that_is_right_already_costs_nothing(searched, tmp_path):
    program = tmp_path / "mine.py"
    program.write_text("rungs = 8\n")
    result = searched(start=program)
    assert result.stop_reason is StopReason.SOLVED
    assert result.spent.calls == result.spent.programs == 0


def test_best_of_n_refuses_a_start(searched, tmp_path):
    program = tmp_path / "mine.py"
    program.write_text("rungs = 1\n")
    with pytest.raises(UserError, match="--system seidr"):
        searched(start=program, system="best-of-n")


def test_released_temperatures():
    """Measured in the released code: n = 10 in batches of one begins .0909, .1818; a single text is greedy."""
    rising = [scheduled("rising", index, 10) for index in range(10)]
    assert rising[:2] == pytest.approx([0.0909, 0.1818], abs=1e-4)
    assert scheduled("rising", 0, 1) == 0
    assert scheduled("constant", 3, 10) is None


@pytest.mark.parametrize("first", [None, 0.0, 0.5, 1.0, 1.6])
def test_redraws_are_never_colder(first):
    drawn = [raised(first, count) for count in range(1, 5)]
    assert drawn == sorted(drawn)
    assert first is None or drawn[0] >= first


def test_settings_refuse_nonsense():
    with pytest.raises(ValueError, match="repairs is 0"):
        SeidrSettings(repairs=0)


@pytest.mark.parametrize("name", [*TREES, "tree:random:", "mcts-explore:frequency_weight=0.1"])
def test_seed_trees_choose_among_all_programs_found_so_far(searched, name):
    if name in ("random",):
        name = "tree:random"
    result = searched(
        Ladder(cases=14, climbing=0.4), selection=name.rstrip(":"), seidr__arity=2, budget__programs=60, seed=3
    )
    by_id = {each.id: each for each in result.individuals}
    gaps = [each.generation - by_id[each.parents[0]].generation for each in result.individuals if each.parents]
    assert max(gaps) > 1, "a tree goes back to programs that a population would have forgotten"
    again = searched(
        Ladder(cases=14, climbing=0.4), selection=name.rstrip(":"), seidr__arity=2, budget__programs=60, seed=3,
        concurrency=16, salt=9,
    )  # fmt: skip
    assert [each.id for each in again.individuals] == list(by_id)


def test_a_tree_whose_branches_are_used_up_ends_the_search(searched):
    result = searched(
        Ladder(cases=40), selection="mcts-explore:max_visits=2", seidr__arity=1, seidr__drafts=2, budget__programs=60
    )
    assert result.stop_reason is StopReason.EXHAUSTED
    assert result.generations == 5


@pytest.mark.parametrize("name", sorted(SELECTORS))
def test_every_selector_runs_a_whole_search(searched, name):
    options = ":ranges=[[0,100],[0,1]],bins=4" if name == "map-elites" else ""
    result = searched(Ladder(cases=10), selection=name + options, seidr__arity=2, budget__programs=20)
    assert result.spent.programs == 20 or result.solved_visible


@pytest.mark.parametrize("name", [*SAMPLERS, "random-down-sampling:rate=0.5"])
def test_samplers_run_fewer_cases_and_still_solve_only_what_passes_all(searched, name):
    ladder = Ladder(cases=12, climbing=0.5)
    runs = Counter()

    class Counting(ScriptedExecutor):
        async def run(self, program, problem, cases=None, **options):
            runs[len(problem.cases)] += 1
            return await super().run(program, problem, cases)

    options = {"sampler": name, "seidr__arity": 3, "budget__programs": 200, "seed": 2}
    result = searched(ladder, executor=Counting(ladder.run), **options)
    assert result.best.judged.evaluated.all()
    assert result.best.judged.solved or result.stop_reason is StopReason.PROGRAMS
    assert sum(count for size, count in runs.items() if size < 12) > runs[12]
    sampled = [each.judged for each in result.individuals if not each.judged.evaluated.all()]
    assert sampled
    assert all(set(each.failing()) <= set(each.judged_cases) for each in sampled)
    assert not any(each.solved for each in sampled)
    again = searched(ladder, concurrency=16, salt=5, **options)
    assert [each.id for each in again.individuals] == [each.id for each in result.individuals]


@pytest.mark.parametrize("options", [{"seidr__replacement": "plus"}, {"system": "best-of-n"}])
def test_a_sampler_is_refused_where_it_cannot_work(searched, options):
    with pytest.raises(UserError, match="sampler"):
        searched(sampler="cohort", **options)
