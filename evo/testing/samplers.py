"""The contract of case samplers."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from evo.testing.contract import check_rules, refusal, require
from selection.lexicase import Lexicase
from selection.sampler import CaseSampler, Cohort, evaluation_mask, select_in_cohorts
from selection.selector import Context, Errors

_SHAPES = ((50, 40), (3, 40), (50, 2), (1, 1), (50, 0), (0, 40), (0, 0))
_SAMPLES = 2000


def check_sampler(make: Callable[[], CaseSampler], *, seeds: Sequence[int] = (0, 1, 2), fair: bool = True) -> None:
    """Check that a case sampler does what every case sampler must do.

    Args:
        make: Makes a fresh one, such as its class.
        seeds: Of the random generators that it is given.
        fair: Whether each case is equally likely as long as nothing was observed; False for one that weights them.

    Raises:
        AssertionError: If it does not; one line a broken rule.

    Example:
        >>> from selection import CohortSampling
        >>> check_sampler(lambda: CohortSampling(4))
    """
    check_rules("case sampler", _RULES, _Subject(make, tuple(seeds), fair))


@dataclass(frozen=True)
class _Subject:
    make: Callable[[], CaseSampler]
    seeds: tuple[int, ...]
    fair: bool

    def taught(self, cases: int, seed: int = 0) -> CaseSampler:
        """A sampler that has observed five individuals."""
        sampler = self.make()
        sampler.observe(_observed(cases, seed))
        return sampler


def _observed(cases: int, seed: int = 0) -> Errors:
    return np.random.default_rng(seed).integers(0, 2, (5, cases)).astype(float)


def _partitions(subject: _Subject) -> None:
    """Each individual is in exactly one cohort, and each cohort has cases of this problem, at least one, ascending."""
    for individuals, cases in _SHAPES:
        for seed in subject.seeds:
            cohorts = subject.make().cohorts(individuals, cases, np.random.default_rng(seed))
            where = f"For {individuals} individuals and {cases} cases, it"
            dealt = sorted(index for cohort in cohorts for index in np.asarray(cohort.individuals).tolist())
            require(dealt == list(range(individuals)), f"{where} dealt the individuals {_shown(dealt)}.")
            for cohort in cohorts:
                _check_cohort(cohort, cases, where)


def _check_cohort(cohort: Cohort, cases: int, where: str) -> None:
    for name, numbers in (("individuals", cohort.individuals), ("cases", cohort.cases)):
        kind = numbers.dtype if isinstance(numbers, np.ndarray) else type(numbers).__name__
        require(kind == np.int64, f"{where} gave {name} of type {kind}, instead of an array of int64.")
    chosen = cohort.cases.tolist()
    require(len(chosen) >= min(1, cases), f"{where} gave a cohort no case: nobody could be told apart.")
    require(chosen == sorted(set(chosen)), f"{where} gave the cases {_shown(chosen)}, not ascending or not distinct.")
    outside = [case for case in chosen if not 0 <= case < cases]
    require(not outside, f"{where} gave case {outside[:1]}, which is outside of [0, {cases}).")


def _probes_individuals(subject: _Subject) -> None:
    """Probed are distinct individuals of the population, as an int64 array; or nobody."""
    for individuals in (0, 1, 7, 50):
        sampler = subject.make()
        for generation in range(12):
            probed = sampler.probe(generation, individuals, np.random.default_rng(subject.seeds[0]))
            where = f"In generation {generation} of {individuals} individuals, it"
            kind = probed.dtype if isinstance(probed, np.ndarray) else type(probed).__name__
            require(kind == np.int64, f"{where} returned {kind}.")
            numbers = probed.tolist()
            good = len(set(numbers)) == len(numbers) and set(numbers) <= set(range(individuals))
            require(good, f"{where} probed {_shown(numbers)}.")


def _is_deterministic(subject: _Subject) -> None:
    """What was observed and the generator fix the sample."""
    for seed in subject.seeds:
        for made in (subject.make, lambda: subject.taught(30)):
            samples = [_facts(made().cohorts(20, 30, np.random.default_rng(seed))) for _ in range(2)]
            require(samples[0] == samples[1], f"It is not deterministic: with seed {seed}, two samples differ.")


def _every_case_is_as_likely(subject: _Subject) -> None:
    """Before anything is observed, every case is as likely (unless fair=False)."""
    if not subject.fair:
        return
    sampler = subject.make()
    rng = np.random.default_rng(subject.seeds[0])
    masks = [evaluation_mask(sampler.cohorts(20, 20, rng), 20, 20) for _ in range(_SAMPLES)]
    counts = np.sum(masks, axis=(0, 1))
    shares = counts / counts.sum()
    off = int(np.abs(shares - 1 / 20).argmax())
    require(
        bool(abs(shares[off] - 1 / 20) < 0.01),
        f"Of {_SAMPLES} samples among 20 cases, {shares[off]:.1%} of the places went to case {off}, instead of 5%: "
        "it is biased. If that is meant, say fair=False.",
    )


def _leaves_errors_alone(subject: _Subject) -> None:
    """A sampler does not change the errors that it observes, and keeps none of them by reference."""
    errors = _observed(30)
    before = errors.copy()
    sampler = subject.make()
    sampler.observe(errors)
    require(np.array_equal(errors, before), "It wrote into the errors: copy them.")
    learned = json.dumps(sampler.state())
    errors[:] = 1 - errors
    require(json.dumps(sampler.state()) == learned, "Its state changes when the caller writes into the array: copy it.")


def _state_is_restored(subject: _Subject) -> None:
    """A fresh sampler goes on from a state that went through JSON as the first one would."""
    for seed in subject.seeds:
        first = subject.taught(30, seed)
        state = first.state()
        second = subject.make()
        second.restore(json.loads(json.dumps(state)))
        require(second.state() == state, f"Restored from {_shown_state(state)}, its state is another one.")
        before = json.dumps(state)
        samples = [_facts(each.cohorts(9, 30, np.random.default_rng(seed))) for each in (first, second)]
        require(samples[0] == samples[1], "Restored, it draws another sample: its state() lacks something.")
        first.observe(_observed(30, seed + 100))
        require(json.dumps(state) == before, "A state that was returned changed later: return copies.")


def _refuses_nonsense(subject: _Subject) -> None:
    """Negative numbers, and states of something else, are refused."""
    for individuals, cases in ((-1, 3), (3, -1)):
        with refusal(f"cohorts({individuals}, {cases}, ...)"):
            subject.make().cohorts(individuals, cases, np.random.default_rng(0))
    with refusal("restore({'unknown': 1})"):
        subject.make().restore({"unknown": 1})


def _a_search_improves(subject: _Subject) -> None:
    """A search on bit strings, in which each case is a bit, gets better on what the sampler lets it see."""
    rng = np.random.default_rng(subject.seeds[0])
    sampler = subject.make()
    bits = rng.random((60, 30)) < 0.5
    start = float(bits.mean())
    for generation in range(80):
        errors = (~bits).astype(float)
        probed = sampler.probe(generation, 60, rng)
        sampler.observe(errors[probed])
        cohorts = sampler.cohorts(60, 30, rng)
        mask = evaluation_mask(cohorts, 60, 30)
        seen = np.where(mask, errors, np.nan)
        parents = select_in_cohorts(Lexicase(), seen, cohorts, 60, rng, Context(evaluated=mask))
        bits = bits[parents] ^ (rng.random((60, 30)) < 0.01)
    require(
        float(bits.mean()) > start + 0.1,
        f"After 80 generations {bits.mean():.0%} of the bits are right, and {start:.0%} were at the start.",
    )


_RULES = (
    _partitions,
    _probes_individuals,
    _is_deterministic,
    _every_case_is_as_likely,
    _leaves_errors_alone,
    _state_is_restored,
    _refuses_nonsense,
    _a_search_improves,
)


def _facts(cohorts: tuple[Cohort, ...]) -> list[tuple[list[int], list[int]]]:
    return [(cohort.individuals.tolist(), cohort.cases.tolist()) for cohort in cohorts]


def _shown(numbers: list[int]) -> str:
    return str(numbers) if len(numbers) <= 8 else f"[{', '.join(map(str, numbers[:8]))}, ...]"


def _shown_state(state: object) -> str:
    text = json.dumps(state)
    return text if len(text) <= 60 else f"{text[:57]}..."
