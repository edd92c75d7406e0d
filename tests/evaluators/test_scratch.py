"""What processes that are gone have left is swept; what belongs to living ones stays."""

import json
import os
import shutil
import signal
import subprocess
import sys

from evaluators.sandbox.scratch import end_stuck_starts, scratch_folder, sweep


def test_folders_of_the_dead_are_swept_and_those_of_the_living_stay():
    code = "from evaluators.sandbox.scratch import scratch_folder; print(scratch_folder(), end='')"
    dead = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert dead
    mine = scratch_folder()
    sweep()
    assert mine.is_dir()
    assert not os.path.lexists(dead)
    mine.rmdir()


def test_a_start_that_was_cut_off_by_the_death_of_its_engine_is_ended(tmp_path):
    # A shell by that name stands for bubblewrap, and waits for its standard input as that does for its parent.
    named = tmp_path / "bwrap"
    shutil.copy("/bin/sh", named)
    gone = subprocess.Popen(["true"])
    gone.wait()

    def waiting(settings):
        return subprocess.Popen([named, "-c", "read line", settings], stdin=subprocess.PIPE)

    stuck = waiting(json.dumps({"engine": gone.pid, "socket": 3}))
    others = [waiting(json.dumps({"engine": os.getpid()})), waiting("{"), waiting("[1]")]
    try:
        end_stuck_starts()
        assert stuck.wait(20) == -signal.SIGKILL
        assert [other.poll() for other in others] == [None] * 3
    finally:
        for process in (stuck, *others):
            process.kill()
            process.communicate()
