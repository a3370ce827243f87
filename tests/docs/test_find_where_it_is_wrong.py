"""The how-to of slices: its lines work one after the other."""

import re
import shlex
from pathlib import Path

from workbench import api

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "how-to" / "find-where-it-is-wrong.md").read_text("utf-8")


def test_the_command_scores_the_slice_that_the_lines_above_it_keep(tmp_path, monkeypatch):
    monkeypatch.setenv("WORKBENCH_RUNS", str(tmp_path / "runs"))
    (block,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    (command,) = re.findall(r"^python -m workbench (score_slice .*)", TEXT, re.MULTILINE)
    assert TEXT.index(block) < TEXT.index(command)
    asked = []
    monkeypatch.setattr(api, "score_slice", lambda name, *, targets: asked.append([name, *targets]))
    exec(block, {})
    assert asked == [shlex.split(command)[1:]] and [one.name for one in api.slices()] == asked[0][:1]
