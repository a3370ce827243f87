"""Every step of the tutorial runs, and prints what the page shows, apart from numbers and names of runs."""

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.plugins.real_runs import end_processes
from workbench.store.names import runs_folder

pytestmark = [pytest.mark.docs, pytest.mark.slow]
ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"```(console|python)\n(.*?)```(?:\n+```text\n(.*?)```)?", re.DOTALL)


def steps():
    """Each command or example of the page, with the output that the page shows."""
    for kind, block, printed in BLOCK.findall((ROOT / "docs" / "tutorial.md").read_text("utf-8")):
        if kind == "python":
            yield [sys.executable, "-c", block], printed
            continue
        command, _, shown = block.removeprefix("$ ").partition("\n")
        words = shlex.split(command)
        if words[0] == ".venv/bin/python":
            yield [sys.executable, *words[1:]], shown


def levelled(text):
    """`text` without what differs between machines: numbers, names and folders of runs, and the width of columns.

    numpy pads .1 to the width of .12, also before a bracket.
    """
    text = re.sub(r"\d{8}-\d{6}-[\w-]+", "RUN", text)
    text = re.sub(r"(?:/|[A-Z]:\\)\S*RUN(?=\n|$)", "WHOLE-PATH", text)
    return " ".join(re.sub(r"-?\d+(?:\.\d*)?", "0", re.sub(r" +\]", "]", text)).split())


@pytest.mark.timeout(600)
def test_every_step_prints_what_the_page_shows(tmp_path):
    folder = runs_folder(tmp_path / "runs")
    # As for a reader, one compute process answers before and after the training.
    environment = {
        **os.environ,
        "WORKBENCH_RUNS": str(folder.path),
        "WORKBENCH_IDLE_SECONDS": "900",
        "PYTHONPATH": str(ROOT),
    }
    typed = list(steps())
    assert len(typed) == 4
    try:
        for command, shown in typed:
            done = subprocess.run(
                command,
                cwd=ROOT,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, done.stderr[-2000:]
            same = doctest.OutputChecker().check_output(
                levelled(shown) + "\n", levelled(done.stdout) + "\n", doctest.ELLIPSIS
            )
            assert same, f"{shlex.join(command)} printed\n{done.stdout}\nand the page shows\n{shown}"
    finally:
        end_processes(folder)
