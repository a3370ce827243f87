"""Precision by name, and the timing that is made once."""

import json
import time

import pytest

from workbench.core.errors import BadSetting
from workbench.models import timing


def test_names_stand_for_themselves(tmp_path, monkeypatch):
    monkeypatch.setattr(timing, "speedup", lambda device: pytest.fail("was timed"))
    assert timing.precision("fp32", "cpu", tmp_path) == "fp32"
    assert timing.precision("bf16", "cpu", tmp_path) == "bf16"
    with pytest.raises(BadSetting, match="auto, fp32 or bf16"):
        timing.precision("fp8")


@pytest.mark.parametrize(("gain", "chosen"), [(3.0, "bf16"), (1.05, "fp32"), (0.0, "fp32")])
def test_auto_times_once_a_machine(gain, chosen, tmp_path, monkeypatch):
    calls = []
    monkeypatch.setattr(timing, "speedup", lambda device: calls.append(device) or gain)
    folder = tmp_path / ".cache"
    assert [timing.precision("auto", "cpu", folder) for _ in range(3)] == [chosen] * 3
    assert calls == ["cpu"] and list(json.loads((folder / "precision.json").read_text()).values()) == [gain]
    (folder / "precision.json").write_text("damaged")
    assert timing.precision("auto", "cpu", folder) == chosen and len(calls) == 2
    assert [path.name for path in folder.iterdir()] == ["precision.json"]


def test_a_real_timing_is_short_and_positive():
    start = time.perf_counter()
    assert 0 < timing.speedup("cpu") < 100
    assert time.perf_counter() - start < 10


@pytest.mark.parametrize(("of_few", "asked"), [(0.02, [16]), (0.9, [16, 1024])])
def test_a_processor_that_is_slow_in_bf16_is_timed_briefly(of_few, asked, monkeypatch):
    rows = []
    monkeypatch.setattr(timing, "_layer", lambda count, kind, device: rows.append(count) or (count, kind))
    seconds = {(16, "float32"): of_few, (16, "bfloat16"): 1.0, (1024, "float32"): 2.0, (1024, "bfloat16"): 1.0}
    monkeypatch.setattr(timing, "_median", lambda work, device: seconds[work])
    assert timing.speedup() == (2.0 if 1024 in asked else of_few)
    assert list(dict.fromkeys(rows)) == asked


@pytest.mark.skipif(
    time.get_clock_info("thread_time").resolution > 1e-4, reason="The clock of a thread is coarse here."
)
def test_waiting_for_something_else_does_not_count():
    assert timing._median(lambda: time.sleep(0.02), "cpu") < 0.01
