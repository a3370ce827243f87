"""`augment` with a method of one's own, in a file of the folder."""

import importlib
import sys

import pytest

from workbench import api
from workbench.__main__ import main
from workbench.augmentations import text
from workbench.augmentations.catalogue import AUGMENTATIONS
from workbench.core.errors import BadMethod

SOURCE = """
from workbench.core.method import Method

def my_change(text, *, rng):
    "It changes nothing, and fails."
    return 1 / 0

METHOD = Method(
    my_change, title="Mine", source="Own", tags={"class": "preserving", "role": "positive", "language": "any"}
)
"""


@pytest.fixture
def my_change(tmp_path, monkeypatch):
    (tmp_path / "my_change.py").write_text(SOURCE)
    monkeypatch.setattr(text, "__path__", [*text.__path__, str(tmp_path)])
    module = importlib.import_module("workbench.augmentations.text.my_change")
    for methods in (text.METHODS, AUGMENTATIONS):
        monkeypatch.setitem(methods, "my_change", module.METHOD)
    yield "my_change"
    del sys.modules[module.__name__], text.my_change


def test_what_goes_wrong_in_it_is_one_message_with_the_line(my_change, tmp_path, capsys):
    assert main(["augment", my_change, "a b", "--runs", str(tmp_path / "runs")]) == 2
    line = "The augmentation my_change failed: ZeroDivisionError in workbench.augmentations.text.my_change, line 6."
    assert capsys.readouterr().err == f"{line} Reason: division by zero.\n"


def test_a_program_gets_the_error_as_the_cause(my_change):
    with pytest.raises(BadMethod, match="line 6") as caught:
        api.augment(my_change, "a b")
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
