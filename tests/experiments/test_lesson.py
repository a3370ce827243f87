"""The numbers that the lesson ships."""

import json

import pytest

from experiments import lesson


def test_they_are_small_and_say_how_they_were_made():
    assert lesson.PATH.stat().st_size < lesson.LARGEST_BYTES
    made = json.loads(lesson.PATH.read_text(encoding="utf-8"))["made"]
    assert (
        made["seed"] == 0
        and made["environment"]["packages"]["torch"]
        and made["command"].startswith("python -m workbench train")
    )


def test_differences_are_named():
    shipped = {"a": {"b": [0.5, 0.6], "c": "x"}, "d": 1}
    assert not list(lesson.differences(shipped, json.loads(json.dumps(shipped))))
    assert list(lesson.differences(shipped, {"a": {"b": [0.5, 0.7], "c": "x"}, "d": 1})) == [".a.b[1]: 0.6 is now 0.7"]
    assert list(lesson.differences({"c": "x"}, {"c": "y"})) == [".c: 'x' is now 'y'"]
    left, right = [0] * 150, [0] * 150
    left[10] = right[60] = 1_000_000
    assert list(lesson.differences({"h": left}, {"h": right})) == [".h: the histogram is 1.000 off"]


@pytest.mark.measure
@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_they_are_what_is_computed_now(capsys):
    assert lesson.main(["--check"]) == 0, capsys.readouterr().out
