"""A checkpoint that is being replaced: whenever the process is killed, one of the two is whole."""

import torch

from workbench.store import checkpoints


def test_until_the_new_checkpoint_is_whole_the_old_one_is_there(tmp_path, monkeypatch):
    def save(step):
        tensors = {"a": torch.full((2,), float(step))}
        checkpoints.save(tmp_path / "last", tensors, {"step": step, "samples": 8 * step}, tensors)

    found = []

    def noted(write):
        def noting(*given):
            for when in ("before", "after"):
                weights, moments, state = checkpoints.load(tmp_path / "last")
                found.append((when, state["step"], weights["a"][0].item(), moments["a"][0].item()))
                if when == "before":
                    write(*given)

        return noting

    save(1)
    monkeypatch.setattr(checkpoints, "write_json", noted(checkpoints.write_json))
    save(2)
    assert found == [("before", 1, 1.0, 1.0), ("after", 2, 2.0, 2.0)]
    assert len(list((tmp_path / "last").iterdir())) == 3
