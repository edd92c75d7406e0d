"""Cases of a compiled program, each forked from a server that is linked into it."""

from __future__ import annotations

import asyncio

import pytest

from evaluators.executor import SandboxExecutor
from evaluators.problem import Case, Limits, Problem
from evaluators.program import Program
from evaluators.sandbox import client
from evaluators.signature import Signature

SUM = "#include <bits/stdc++.h>\nusing namespace std;\nint main() { long a, b; cin >> a >> b; cout << a + b << endl; }"


@pytest.fixture(scope="module")
def executor():
    made = SandboxExecutor()
    yield made
    asyncio.run(made.close())


def run(executor, source, inputs, signature=None, **limits):
    cases = tuple(Case(given, None, f"case {index}") for index, given in enumerate(inputs))
    parsed = signature and Signature.parse(signature)
    mode = "function" if parsed else "stdio"
    problem = Problem("some", "", mode, cases, signature=parsed, limits=Limits(**limits))
    return asyncio.run(executor.run(Program(source, "cpp"), problem))


def verdicts(execution):
    return [str(result.verdict) for result in execution.cases]


def outputs(execution):
    return [result.output for result in execution.cases]


def test_many_cases_in_their_order_and_few_messages(executor, monkeypatch):
    run(executor, SUM, ["1 1"])
    heard = []
    receive = client.Sandbox.receive

    async def counted(sandbox):
        heard.append(await receive(sandbox))
        return heard[-1]

    monkeypatch.setattr(client.Sandbox, "receive", counted)
    execution = run(executor, SUM, [f"{n} {n}\n" for n in range(1200)])
    assert outputs(execution) == [f"{2 * n}\n" for n in range(1200)]
    assert len(heard) == 3  # so the server is really in use: without it there is a message a case
    assert all(result.memory_bytes > 0 for result in execution.cases)
    assert not execution.shared_process


def test_global_constructors_run_anew_for_each_case_and_may_read_the_input(executor):
    source = (
        "#include <iostream>\nstruct Early { int n; Early() { std::cin >> n; } } early;\n"
        "int calls = 0;\nint main() { std::cout << early.n << ' ' << ++calls; }"
    )
    assert outputs(run(executor, source, ["4", "5", "6"])) == ["4 1", "5 1", "6 1"]


def test_every_case_ends_in_its_own_way(executor):
    source = """
#include <bits/stdc++.h>
#include <unistd.h>
using namespace std;
int main() {
  int n; cin >> n; cout << n << flush; cerr << "e" << n;
  if (n == 1) abort();
  if (n == 2) return 7;
  if (n == 3) for (volatile int i = 0;; ++i) {}
  if (n == 4) sleep(100);
  if (n == 5) throw runtime_error("why");
  if (n == 6) for (;;) cout << string(1000, 'x');
  if (n == 7) for (vector<char*> v;;) v.push_back(new char[1 << 20]());
  if (n == 8) raise(SIGKILL);
  if (n == 9) { volatile int* volatile p = nullptr; *p = 1; }
}"""
    limits = {"cpu_seconds": 0.4, "wall_seconds": 0.5, "output_bytes": 2**16, "memory_bytes": 2**27}
    execution = run(executor, source, [str(n) for n in range(11)], **limits)
    assert verdicts(execution) == [
        "completed", "crash", "runtime_error", "timeout_cpu", "timeout_wall", "crash", "output_limit", "memory",
        "crash", "crash", "completed",
    ]  # fmt: skip
    assert (execution.cases[10].output, execution.cases[10].stderr) == ("10", "e10")
    assert "SIGABRT" in execution.cases[1].detail
    assert execution.cases[5].detail.endswith("what(): why")


def test_outputs_of_any_size_belong_to_their_cases(executor):
    source = (
        "#include <iostream>\n#include <string>\nint main() { int n; std::cin >> n; std::cout << std::string(n, 'x'); }"
    )
    sizes = [5, 1_000_000, 0, 3] * 12
    execution = run(executor, source, [str(size) for size in sizes])
    assert [len(output) for output in outputs(execution)] == sizes


def test_functions_are_called_by_fork_too(executor):
    source = "#include <vector>\nint calls = 0;\nint f(std::vector<int> v) { return v.size() * 10 + ++calls; }"
    execution = run(executor, source, [([1, 2],), ([],), ([3],)], "f(v: list[int]) -> int")
    assert outputs(execution) == [21, 1, 11]


def test_the_whole_budget_ends_it(executor):
    source = "int main() { for (volatile int i = 0;; ++i) {} }"
    execution = run(executor, source, [""] * 6, cpu_seconds=0.3, total_cpu_seconds=0.7)
    assert verdicts(execution)[:2] == ["timeout_cpu"] * 2
    assert verdicts(execution)[3:] == ["skipped"] * 3


def test_threads_and_exceptions_work(executor):
    source = """
#include <iostream>
#include <thread>
#include <vector>
int main() {
  std::vector<std::thread> all; int sums[3] = {};
  for (int t = 0; t < 3; ++t) all.emplace_back([&sums, t] { for (int i = 0; i < 1000; ++i) sums[t] += i; });
  for (auto& thread : all) thread.join();
  try { std::vector<int>().at(1); } catch (const std::exception&) { std::cout << sums[0] + sums[1] + sums[2]; }
}"""
    assert outputs(run(executor, source, ["", ""])) == ["1498500"] * 2


@pytest.mark.parametrize("line", ["cout << complex<int>(1, 2).real();", "cout << ratio<4, 4>::num;"])
def test_names_that_the_smaller_header_lacks_are_found_in_the_whole_one(executor, line):
    source = f"#include <bits/stdc++.h>\nusing namespace std;\nint main() {{ {line} }}"
    assert outputs(run(executor, source, [""])) == ["1"]
