"""Settings: all that a user can say about a run, checked at the border.

Sources, each overriding the one before: a preset, a YAML file, the command line's options, ``--set a.b=c``.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from evo.systems.best_of_n import BestOfNSettings
from evo.systems.seidr import SeidrSettings


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class SamplingSettings(_Strict):
    """How answers are drawn; see :class:`operators.models.chat.Sampling`."""

    temperature: float | None = Field(default=0.8, ge=0, le=2)
    """None leaves it out of every request, as reasoning models want it."""
    max_tokens: int = Field(default=1024, ge=1)
    """Upper bound of an answer's tokens; sent as ``max_completion_tokens`` to the models that want it so."""
    top_p: float | None = Field(default=None, gt=0, le=1)
    stop: tuple[str, ...] = ()
    extra: dict[str, Any] = Field(default_factory=dict)
    """Further fields of the request's body, such as ``reasoning_effort``."""


class BudgetSettings(_Strict):
    """Upper limits; null means no limit of that kind."""

    programs: int | None = Field(default=100, ge=1)
    tokens: int | None = Field(default=None, ge=1)
    usd: float | None = Field(default=None, gt=0)
    seconds: float | None = Field(default=None, gt=0)


class PriceSettings(_Strict):
    """What the model's tokens cost, in US dollars a million; overrides the table."""

    input_usd_per_million: float = Field(ge=0)
    output_usd_per_million: float = Field(ge=0)


class EndpointSettings(_Strict):
    """The OpenAI-compatible endpoint; the key is read from the environment alone, and never recorded."""

    base_url: str | None = None
    """Instead of ``OPENAI_BASE_URL``."""
    key_variable: str = "OPENAI_API_KEY"
    """The environment variable that holds the key."""
    headers: dict[str, str] = Field(default_factory=dict)
    """Sent along; ``${NAME}`` stands for an environment variable, so that no secret is recorded."""
    timeout_seconds: float = Field(default=600, gt=0)
    connect_seconds: float = Field(default=15, gt=0)
    max_retries: int = Field(default=6, ge=0)
    quirks: dict[str, Any] = Field(default_factory=dict)
    """What the model wants otherwise, instead of the table: ``{max_tokens_field: max_completion_tokens}``."""


class FallbackSettings(_Strict):
    """A second model, asked when the first one gives up; see :class:`operators.models.fallback.FallbackModel`."""

    model: str
    base_url: str | None = None
    """Of another endpoint; null for that of the first model, with its key and headers."""
    key_variable: str = "FALLBACK_API_KEY"
    """The environment variable that holds the key of the other endpoint."""
    headers: dict[str, str] = Field(default_factory=dict)
    """Sent along to the other endpoint, written as the endpoint's."""
    price: PriceSettings | None = None
    rest_seconds: float = Field(default=60, ge=0)
    """For so long after the first model gave up, the second one is asked at once."""


class ModelsSettings(_Strict):
    """Models of their own for operators, and one for when a model cannot be had."""

    synthesize: str | None = None
    instruct: str | None = None
    debug: str | None = None
    fallback: FallbackSettings | None = None

    @field_validator("fallback", mode="before")
    @classmethod
    def _name_alone(cls, given: Any) -> Any:
        return {"model": given} if isinstance(given, str) else given

    @property
    def by_operator(self) -> dict[str, str]:
        """The names of the models that operators have of their own."""
        named = {operator: getattr(self, operator) for operator in OPERATORS}
        return {operator: name for operator, name in named.items() if name is not None}


class EmbeddedSettings(_Strict):
    """The model that runs on this machine."""

    slots: int = Field(default=1, ge=1, le=64)
    """Answers at once. One slot answers equally for equal seeds; several are faster, and do not."""
    context_tokens: int = Field(default=4096, ge=512)
    threads: int | None = Field(default=None, ge=1)


class ProblemSettings(_Strict):
    """How a bundled problem is presented."""

    mode: Literal["stdio", "function"] | None = None
    visible: int | None = Field(default=None, ge=1)
    hidden: int | None = Field(default=None, ge=0)
    seed: int = Field(default=0, ge=0)
    psb2_data: str | None = None
    """A folder with the official PSB2 datasets, instead of generated cases."""


class SandboxSettings(_Strict):
    """How programs are run."""

    allow_weak: bool = False
    """Run them although a required layer is missing; marked in every result."""


class Settings(_Strict):
    """All settings of a run."""

    system: Literal["seidr", "best-of-n"] = "seidr"
    language: str = "python"
    selection: str = "lexicase"
    """A selector by name, with options: ``tournament:size=3``."""
    sampler: str | None = None
    """A case sampler by name, with options: ``random-down-sampling:rate=0.2``; null runs all visible cases."""
    seed: int = Field(default=0, ge=0, lt=2**63)
    model: str = "embedded"
    """``embedded``, a ``.gguf`` file, ``recorded:FILE``, ``scripted:FILE.py:function``, or an endpoint's model."""
    models: ModelsSettings = ModelsSettings()
    """A model of its own for an operator: ``models.debug``; a second one for all: ``models.fallback``."""
    sampling: SamplingSettings = SamplingSettings()
    samplings: dict[str, SamplingSettings] = Field(default_factory=dict)
    """Sampling of its own for an operator: ``samplings.instruct.temperature``."""
    budget: BudgetSettings = BudgetSettings()
    concurrency: int | None = Field(default=None, ge=1, le=4096)
    """Calls in flight; null: one for the embedded model, eight for an endpoint."""
    workers: int = Field(default=1, ge=1, le=256)
    """Programs run at once."""
    price: PriceSettings | None = None
    endpoint: EndpointSettings = EndpointSettings()
    embedded: EmbeddedSettings = EmbeddedSettings()
    problem: ProblemSettings = ProblemSettings()
    sandbox: SandboxSettings = SandboxSettings()
    seidr: SeidrSettings = SeidrSettings()
    best_of_n: BestOfNSettings = BestOfNSettings()

    @model_validator(mode="after")
    def _sampler_fits(self) -> Settings:
        if self.sampler is not None and self.system != "seidr":
            raise ValueError(f"sampler is {self.sampler!r}, and {self.system} runs every program on all cases")
        if self.sampler is not None and self.seidr.replacement == "plus":
            raise ValueError(
                f"sampler is {self.sampler!r}, whose generations are run on different cases, so that parents cannot be "
                "compared with children: use seidr.replacement=comma"
            )
        return self

    @model_validator(mode="after")
    def _operators_exist(self) -> Settings:
        wrong = set(self.samplings) - set(OPERATORS)
        if wrong:
            raise ValueError(f"samplings.{min(wrong)} names no operator: allowed are {', '.join(OPERATORS)}")
        return self


OPERATORS = ("synthesize", "instruct", "debug")

PRESETS: dict[str, dict[str, Any]] = {
    # seidr commit 2da2ac4 with paper.py; what that code calls tournament is truncation
    "released-gecco": {
        "selection": "truncation",
        "budget": {"programs": 1000},
        "seidr": {"arity": 10, "explanations": 1, "temperature": "rising", "redraws": 0},
    },
    # the configurations before seidr commit 4c9a52f: two explanations, 100 programs, 5 examples in the prompt
    "released-telo": {
        "selection": "truncation",
        "budget": {"programs": 100},
        "seidr": {"arity": 10, "explanations": 2, "temperature": "rising", "examples": 5, "redraws": 0},
        "problem": {"visible": 50, "hidden": 2000},
    },
}
