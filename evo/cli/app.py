"""The commands and their options; everything else is imported when a command runs."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    name="evo",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

Folder = Annotated[Path, typer.Argument(metavar="RUN", help="Folder of the run.")]


def _version(wanted: bool) -> None:
    if wanted:
        from evo._version import __version__

        typer.echo(f"evo {__version__}")
        raise typer.Exit


@app.callback()
def evo(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Evolve programs: language models and genetic operators, sandboxed evaluation, exact selection."""


@app.command()
def solve(
    problem: Annotated[str, typer.Argument(metavar="PROBLEM", help="A bundled problem's name, or a problem file.")],
    system: Annotated[str | None, typer.Option(help="seidr or best-of-n.")] = None,
    start: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Repair this program, instead of drafting new ones.")
    ] = None,
    language: Annotated[str | None, typer.Option(help="python, cpp, or the path of a record of your own.")] = None,
    model: Annotated[
        str | None,
        typer.Option(help="embedded (the default), a .gguf file, or a model of the endpoint in OPENAI_BASE_URL."),
    ] = None,
    arity: Annotated[int | None, typer.Option(help="Tree arity N: drafts = beam width = repairs = N.")] = None,
    selection: Annotated[
        str | None, typer.Option(help="lexicase, tournament, truncation, ...; options as tournament:size=3.")
    ] = None,
    sampler: Annotated[
        str | None,
        typer.Option(help="Run each generation on a sample of cases: random-down-sampling:rate=0.2, ..."),
    ] = None,
    preset: Annotated[str | None, typer.Option(help="released-gecco or released-telo.")] = None,
    psb2_data: Annotated[
        str | None, typer.Option(metavar="DIR", help="Official PSB2 datasets, instead of generated cases.")
    ] = None,
    mode: Annotated[str | None, typer.Option(help="stdio or function, for a bundled problem.")] = None,
    budget_programs: Annotated[int | None, typer.Option(help="At most so many programs (default 100).")] = None,
    budget_tokens: Annotated[int | None, typer.Option(help="At most so many tokens.")] = None,
    budget_usd: Annotated[float | None, typer.Option(help="At most so many US dollars.")] = None,
    budget_seconds: Annotated[float | None, typer.Option(help="At most so many seconds.")] = None,
    concurrency: Annotated[int | None, typer.Option(help="Model calls in flight.")] = None,
    workers: Annotated[int | None, typer.Option(help="Programs run at once.")] = None,
    seed: Annotated[int | None, typer.Option(help="Root of all randomness (default 0).")] = None,
    config: Annotated[Path | None, typer.Option(metavar="FILE.yaml", help="Settings.")] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="A.B=C", help="One setting; may be given again.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder of the run (default: a new one in runs/).")
    ] = None,
    record: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Record all answers of the model as a cassette.")
    ] = None,
    reuse: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="RUN_OR_DIR", help="Take answers to equal requests from earlier runs; may be given again."
        ),
    ] = None,
    allow_weak_sandbox: Annotated[
        bool, typer.Option("--allow-weak-sandbox", help="Run programs although a layer of the sandbox is missing.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what would run, an estimate, and the first prompt.")
    ] = False,
    json_: Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")] = False,
) -> None:
    """Search for a program that solves a problem.

    Exit code 0: solved (on the hidden cases where there are any); 1: not solved; 2: the input is wrong;
    3: a model, the sandbox or the disk failed, and 'evo resume' can go on.
    """
    from evo.cli.solving import solve_command

    options = {
        "system": system,
        "language": language,
        "model": model,
        "seidr.arity": arity,
        "selection": selection,
        "sampler": sampler,
        "problem.mode": mode,
        "problem.psb2_data": psb2_data,
        "budget.programs": budget_programs,
        "budget.tokens": budget_tokens,
        "budget.usd": budget_usd,
        "budget.seconds": budget_seconds,
        "concurrency": concurrency,
        "workers": workers,
        "seed": seed,
        "sandbox.allow_weak": True if allow_weak_sandbox else None,
    }
    raise typer.Exit(
        solve_command(
            problem, options, start=start, preset=preset, config=config, assignments=set_ or [], out=out,
            record=record, reuse=reuse or [], dry_run=dry_run, as_json=json_,
        )
    )  # fmt: skip


@app.command()
def resume(
    run: Folder,
    accept_changes: Annotated[
        bool, typer.Option("--accept-changes", help="Go on although prompts, settings or code have changed.")
    ] = False,
    json_: Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")] = False,
) -> None:
    """Go on with a run that was interrupted; nothing that was paid for is asked again."""
    from evo.cli.solving import resume_command

    raise typer.Exit(resume_command(run, accept_changes=accept_changes, as_json=json_))


@app.command()
def replay(
    run: Folder,
    re_execute: Annotated[
        bool, typer.Option("--re-execute", help="Run the programs anew, and show verdicts that differ.")
    ] = False,
    json_: Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")] = False,
) -> None:
    """Search again from the journal alone, without a model; writes nothing."""
    from evo.cli.solving import replay_command

    raise typer.Exit(replay_command(run, re_execute=re_execute, as_json=json_))


@app.command()
def runs(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder that holds runs.")] = Path("runs"),
    json_: Annotated[bool, typer.Option("--json", help="Print a JSON object a run.")] = False,
) -> None:
    """List runs: state, reason why it stopped, programs, calls and cost of each."""
    from evo.cli.listing import runs_command

    raise typer.Exit(runs_command(folder, as_json=json_))


@app.command()
def export(
    run: Folder,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Where to (default: RUN/export).")] = None,
) -> None:
    """Write a run as JSON lines: individuals, evaluations and calls; the best program as a file."""
    from evo.cli.listing import export_command

    raise typer.Exit(export_command(run, out))


@app.command()
def show(
    run: Folder,
    programs: Annotated[bool, typer.Option("--programs", help="Print the source of every program too.")] = False,
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show a run: the lineage of its best program, every program with its verdicts, calls and cost."""
    from evo.cli.showing import show_command

    raise typer.Exit(show_command(run, programs=programs, as_json=json_))


@app.command()
def judge(
    samples: Annotated[
        Path, typer.Argument(metavar="SAMPLES", help="File or folder of samples, or of evo's own runs.")
    ],
    suite: Annotated[str, typer.Option(help="human-eval, human-eval-plus, mbpp, ...; 'evo problems' lists them.")],
    data: Annotated[
        Path | None, typer.Option("--data", "--suite-file", metavar="FILE", help="The suite's own file.")
    ] = None,
    language: Annotated[str | None, typer.Option(help="python or cpp, where the suite has both.")] = None,
    format_: Annotated[
        str | None, typer.Option("--format", help="human-eval, evalplus, evalplus-folder, bigcode or evo.")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Programs run at once (default: one a processor).")] = None,
    timeout: Annotated[float, typer.Option(metavar="SECONDS", help="Processor time of a program on all tests.")] = 3.0,
    k: Annotated[str, typer.Option(help="The k of pass@k, with commas.")] = "1,10,100",
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="File of verdicts, from which a second run goes on.")
    ] = None,
    validated: Annotated[
        bool, typer.Option("--validated/--all", help="Leave out what the suite's own solution fails.")
    ] = False,
    partial: Annotated[
        bool, typer.Option("--partial", help="Count tasks without samples as failed, instead of refusing the file.")
    ] = False,
    write: Annotated[
        tuple[str, Path] | None,
        typer.Option(metavar="FORMAT DIR", help="Write the results as human-eval, evalplus or bigcode do, too."),
    ] = None,
    allow_weak_sandbox: Annotated[
        bool, typer.Option("--allow-weak-sandbox", help="Run programs although a layer of the sandbox is missing.")
    ] = False,
    json_: Annotated[bool, typer.Option("--json", help="Print the outcome as one JSON object.")] = False,
) -> None:
    """Judge anybody's samples on a suite's official tests, in the sandbox: verdicts and pass@k.

    Exit code 0: all are judged; 2: the input is wrong; 3: the sandbox or the disk failed, or it was stopped, and the
    same command goes on.
    """
    from evo.cli.judging import judge_command

    raise typer.Exit(
        judge_command(
            samples, suite=suite, data=data, language=language, form=format_, workers=workers, seconds=timeout, k=k,
            out=out, validated=validated, partial=partial, write=write, allow_weak_sandbox=allow_weak_sandbox,
            as_json=json_,
        )
    )  # fmt: skip


@app.command()
def problems(
    action: Annotated[str | None, typer.Argument(metavar="[show]", help="'show', and a name.")] = None,
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="A problem or a suite.")] = None,
    mode: Annotated[str | None, typer.Option(help="stdio or function, for a bundled problem.")] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """List the bundled problems and the suites, or show one of them: 'evo problems show gcd'."""
    from evo.cli.catalogue import problems_command

    raise typer.Exit(problems_command(action, name, mode=mode, as_json=json_))


@app.command()
def published(
    paper: Annotated[str | None, typer.Option(metavar="NAME", help="Of this paper alone.")] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Print the tables that the papers have published."""
    from evo.cli.catalogue import published_command

    raise typer.Exit(published_command(paper, as_json=json_))


@app.command()
def doctor(
    model: Annotated[str, typer.Option(help="Try to reach this model too.")] = "embedded",
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Look at this machine: Python, compilers, sandbox layers, the model, and the disk that models use."""
    from evo.cli.doctoring import doctor_command

    raise typer.Exit(doctor_command(model, as_json=json_))


def main() -> None:
    """Run the command line; errors of ours are one line and an exit code."""
    from evaluators.exceptions import EvoError, UserError
    from evo.cli.usage import UsageError, usage_error_told

    try:
        try:
            code = app(prog_name="evo", standalone_mode=False)
        finally:
            sys.stdout.flush()
    except UsageError as error:
        if len(sys.argv) == 1:
            sys.stderr.write(f"{error}\n")  # without any argument, typer's message is the help
        else:
            sys.stderr.write(f"evo: {usage_error_told(error, sys.argv[1:])}\n")
        sys.exit(2)
    except UserError as error:
        sys.stderr.write(f"evo: {_told(error)}\n")
        sys.exit(2)
    except EvoError as error:
        sys.stderr.write(f"evo: {_told(error)}\n")
        sys.exit(3)
    except OSError as error:
        # What was found is in the run's folder; here it cannot be told.
        sys.stderr.write(f"evo: standard output cannot be written: {error.strerror or error}\n")
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123 - nothing is left to be flushed at the end
        sys.exit(3)
    sys.exit(code)


def _told(error: Exception) -> str:
    """The message, and what notes on the way out have added to it, such as how to go on."""
    return "; ".join([str(error), *getattr(error, "__notes__", ())])


if __name__ == "__main__":
    main()
