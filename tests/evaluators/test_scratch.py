"""Scratch folders of processes that are gone are swept; those of living ones stay."""

import os
import subprocess
import sys

from evaluators.sandbox.scratch import scratch_folder, sweep


def test_folders_of_the_dead_are_swept_and_those_of_the_living_stay():
    code = "from evaluators.sandbox.scratch import scratch_folder; print(scratch_folder(), end='')"
    dead = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert dead
    mine = scratch_folder()
    sweep()
    assert mine.is_dir()
    assert not os.path.lexists(dead)
    mine.rmdir()
