import errno
import math
import re
from pathlib import Path
from typing import Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from torch.utils.checkpoint import _StopRecomputationError

from workbench.core.discovery import discover
from workbench.core.errors import BadMethod, BadSetting, UnknownName
from workbench.core.method import Knob, Method, calling, raised_in, setting_of


def sample(
    *,
    rate: Annotated[float, Knob(0.0, 1.0, 0.1, "Share of words.")] = 0.5,
    times: Annotated[int, Knob(1, 9, 1)] = 2,
    how: Annotated[Literal["left", "right"], Knob()] = "left",
    quick: Annotated[bool, Knob()] = False,
) -> None:
    """First line.

    More.
    """


METHOD = Method(sample, title="Sample", source="none")


def test_a_signature_is_the_form():
    assert list(METHOD.settings) == ["rate", "times", "how", "quick"]
    assert METHOD.settings["how"].choices == ("left", "right")
    assert METHOD.summary == "First line."
    assert METHOD.check({}) == {"rate": 0.5, "times": 2, "how": "left", "quick": False}


def test_whole_numbers_become_floats_but_not_the_reverse():
    assert METHOD.check({"rate": 1})["rate"] == 1.0
    assert isinstance(METHOD.check({"rate": 1})["rate"], float)
    with pytest.raises(BadSetting, match="whole number"):
        METHOD.check({"times": 2.0})


@pytest.mark.parametrize(
    "bad",
    [{"rate": bad} for bad in (1.1, -0.1, math.nan, math.inf, True, "0.5")]
    + [{"times": 0}, {"times": True}, {"how": "up"}, {"quick": 1}],
)
def test_what_does_not_fit_is_refused(bad):
    with pytest.raises(BadSetting):
        METHOD.check(bad)


def test_a_whole_number_too_large_for_a_float_is_refused_briefly():
    for told in (lambda: METHOD.check({"rate": 10**400}), lambda: METHOD.settings["times"].parse("9" * 5000)):
        with pytest.raises(BadSetting, match="cannot be") as caught:
            told()
        assert len(str(caught.value)) < 200


def test_a_misspelt_setting_suggests_the_right_one():
    with pytest.raises(UnknownName, match="rate"):
        METHOD.check({"rat": 0.5})


@given(st.floats(0, 1))
def test_every_value_in_range_passes_unchanged(value):
    assert METHOD.check({"rate": value})["rate"] == value
    assert METHOD.settings["rate"].parse(repr(value)) == value


def test_words_of_the_command_line():
    assert METHOD.settings["quick"].parse("TRUE") is True
    with pytest.raises(BadSetting):
        METHOD.settings["quick"].parse("yes")
    with pytest.raises(BadSetting):
        METHOD.settings["times"].parse("two")


def test_a_misnamed_file_is_refused(tmp_path, monkeypatch):
    package = tmp_path / "odd_methods"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "_private.py").write_text("raise RuntimeError")
    (package / "right.py").write_text(
        "from workbench.core.method import Method\ndef wrong(): 'x'\nMETHOD = Method(wrong, title='', source='')\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(BadMethod, match=r"right\.py cannot be used: its function is called wrong"):
        discover("odd_methods", [str(package)])


@pytest.mark.parametrize(("high", "said"), [(10**6, "from 1 to 1,000,000."), (2**31 - 1, "from 1 to 2,147,483,647.")])
def test_a_range_is_written_with_all_its_digits(high, said):
    setting = setting_of("steps", Annotated[int, Knob(1, high, 1)], 1)
    with pytest.raises(BadSetting, match=re.escape(said)):
        setting.check(2 * high)


def test_an_error_is_told_with_the_innermost_file_of_a_method():
    with pytest.raises(re.error) as caught:
        re.compile("(")  # raised in the standard library, from this file, which has a METHOD
    assert re.fullmatch(rf"PatternError in {__name__}, line \d+|error in {__name__}, line \d+", raised_in(caught.value))
    assert raised_in(ValueError("never raised")) == "ValueError"


class Cancelled(Exception):
    """As the workbench stops a computation."""

    __module__ = "workbench.models.encoder"


@pytest.mark.parametrize(
    ("error", "raised", "message"),
    [
        (
            IndexError("out of range."),
            BadMethod,
            r"The head sample failed: IndexError in .*, line \d+\. Reason: out of range\.",
        ),
        (BadSetting("rate cannot be 7."), BadSetting, "^rate cannot be 7"),
        (Cancelled(), Cancelled, "^"),
        (_StopRecomputationError(), _StopRecomputationError, "^"),
        (MemoryError(), MemoryError, "^"),
        (RuntimeError("[gloo/transport/tcp/pair.cc:525] Connection closed by peer"), RuntimeError, "^"),
        (OSError(errno.ENOSPC, "No space left on device"), OSError, "^"),
        (FileNotFoundError("words.txt"), BadMethod, "FileNotFoundError in"),
        (KeyboardInterrupt(), KeyboardInterrupt, "^"),
    ],
)
def test_what_goes_wrong_in_a_method_is_explained(error, raised, message):
    with pytest.raises(raised, match=message) as caught, calling("head", METHOD):
        raise error
    assert (caught.value is error) == (raised is not BadMethod)
    if raised is BadMethod:
        assert caught.value.__cause__ is error


def test_a_call_that_never_reached_the_method_names_its_module():
    with pytest.raises(BadMethod, match=rf"failed: TypeError in .*{__name__}") as caught, calling("head", METHOD):
        METHOD.fn("one too many")
    assert "positional" in str(caught.value)


def test_it_is_no_matter_whether_the_method_is_in_a_package_of_its_own():
    def mine():
        """In a file that somebody added to a folder."""

    mine.__module__ = "workbench.heads.mine"
    with pytest.raises(BadMethod) as caught, calling("head", Method(mine, title="T", source="S")):
        raise KeyError("a")
    assert str(caught.value).startswith("The head mine failed: KeyError in ")
    assert str(caught.value).endswith(" It is in workbench.heads.mine. Reason: 'a'.")


def test_a_check_for_what_is_missing_may_fail_too():
    method = Method(sample, title="T", source="S", missing=Path("nowhere.txt").read_text)
    with pytest.raises(BadMethod, match="The method sample failed: FileNotFoundError"):
        assert method.absent
