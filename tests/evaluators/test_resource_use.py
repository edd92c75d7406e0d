"""What a process tree took."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators import resource_use
from evaluators.resource_use import ResourceUse, resources_used

BUSY = "import time\nwhile time.process_time() < 0.3: pass\n"


def test_the_processor_time_of_a_child_counts_while_it_lives_and_when_it_has_ended():
    before = resources_used()
    child = subprocess.Popen(
        [sys.executable, "-c", f"{BUSY}print('done', flush=True)\ninput()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert child.stdout is not None
    child.stdout.readline()
    alive = resources_used() - before
    assert alive.cpu_seconds > 0.25
    child.communicate(b"\n")
    assert (resources_used() - before).cpu_seconds >= alive.cpu_seconds


def test_the_processor_time_of_a_grandchild_that_has_ended_counts():
    before = resources_used()
    nested = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {BUSY!r}])"
    subprocess.run([sys.executable, "-c", nested], check=True)
    assert (resources_used() - before).cpu_seconds > 0.25


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux, which counts a process's writes")
def test_the_writes_of_a_child_that_has_ended_count_where_the_disk_is_none_in_memory(tmp_path):
    before = resources_used()
    write = "import os, sys\nwith open(sys.argv[1], 'wb') as f:\n f.write(b'x' * 2 ** 20)\n f.flush()\n os.fsync(f)"
    subprocess.run([sys.executable, "-c", write, str(tmp_path / "file")], check=True)
    written = (resources_used() - before).written_bytes
    kinds = {Path(part.mountpoint): part.fstype for part in psutil.disk_partitions(all=True)}
    kind = next(kinds[folder] for folder in [tmp_path, *tmp_path.parents] if folder in kinds)
    assert written is not None
    assert written >= (0 if kind in ("tmpfs", "ramfs", "overlay", "9p", "virtiofs") else 2**20)


def test_a_count_that_is_kept_from_us_is_no_number(monkeypatch):
    def denied(self):
        raise psutil.AccessDenied

    monkeypatch.setattr(psutil.Process, "io_counters", denied, raising=False)
    used = resources_used()
    assert used.written_bytes is None
    assert (used - used).written_bytes is None
    assert used.cpu_seconds > 0


def test_traffic_is_what_clients_counted(monkeypatch):
    monkeypatch.setattr(resource_use, "MODEL_TRAFFIC", resource_use.Traffic(3, 40))
    before = resources_used()
    resource_use.MODEL_TRAFFIC.sent_bytes += 5
    resource_use.MODEL_TRAFFIC.received_bytes += 7
    used = resources_used() - before
    assert (used.sent_bytes, used.received_bytes) == (5, 7)


COUNTS = st.integers(0, 2**60)
USES = st.builds(ResourceUse, st.integers(0, 10**6).map(float), COUNTS, COUNTS, COUNTS)


@given(USES, USES, USES)
def test_differences_of_a_sequence_add_up(first, second, third):
    whole, one, other = third - first, second - first, third - second
    assert whole.cpu_seconds == one.cpu_seconds + other.cpu_seconds
    assert whole.written_bytes == one.written_bytes + other.written_bytes
    assert whole.sent_bytes == one.sent_bytes + other.sent_bytes
    assert whole.received_bytes == one.received_bytes + other.received_bytes


def test_the_share_of_the_processors():
    assert ResourceUse(3.0, 0, 0, 0).processor_share(2.0, processors=3) == 0.5
    with pytest.raises(ValueError, match="above 0"):
        ResourceUse(3.0, 0, 0, 0).processor_share(0.0)
