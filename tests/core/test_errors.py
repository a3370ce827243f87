import sys

import pytest

from workbench.core.errors import WorkbenchError, brief, memory_limit, unknown
from workbench.core.method import unforeseen


@pytest.mark.parametrize("typed", ["x" * 5000, "x " * 2500, "x\n" * 2500, "'\"" * 2500, "é\ud800\u202e\0" * 1250])
def test_what_somebody_typed_is_cut_to_one_short_line(typed):
    for error in (
        WorkbenchError(f"There is no file {typed!r}.", way_out=f"Did you mean {typed!r}?"),
        WorkbenchError("It cannot be read.", got=typed),
        WorkbenchError("It cannot be read.", reason=f"no {typed!r} here"),
        unknown("run", typed, ["a", "b"]),
    ):
        said = str(error)
        assert len(said) < 300 and "\n" not in said and said.isprintable()
        said.encode()  # a terminal can show it


def test_an_unquoted_word_without_an_end_is_cut_and_a_path_is_not():
    path = f"/disk/somebody/{'runs/' * 20}config.toml"
    assert len(str(WorkbenchError(f"{'x' * 5000} is missing."))) < 100
    assert str(WorkbenchError(f"{path} cannot be read.")) == f"{path} cannot be read."


def test_lists_of_what_is_known_and_apostrophes_stay_whole():
    known = [f"augmentation_{number}" for number in range(100)]
    assert str(unknown("augmentation", "zzz", known)).endswith("augmentation_99.")
    prose = "The run's folder and the other runs' folders don't fit, " * 3
    assert str(WorkbenchError(prose.strip())) == prose.strip()


def test_only_names_that_are_nearly_as_like_are_suggested():
    known = ["learning_rate", "after", "role", "temperature", "pooling", "eval_pooling"]
    assert str(unknown("setting", "lernrate", known)).endswith("Did you mean learning_rate?")
    assert str(unknown("setting", "minilm", ["minilm-l3", "minilm-l6"])).endswith(
        "Did you mean minilm-l3 or minilm-l6?"
    )


def test_a_reason_keeps_more_than_what_was_got():
    reason = "the library says why in a sentence that is longer than what is repeated of somebody's input, and " * 3
    assert len(brief(reason)) == 80
    assert reason[:150] in str(WorkbenchError("It cannot be loaded.", reason=reason))


def test_a_path_keeps_its_file_name_quoted_or_not():
    for root in ("/disk/Anna Maria/", "C:\\Anna Maria\\", "runs/", "~/"):
        path = root + "a-folder/" * 12 + "gone.txt"
        assert repr(path) in str(WorkbenchError(f"There is no file {path!r}."))
    endless = "/data/" + "folder/" * 60 + "gone.txt"
    message = str(WorkbenchError(f"There is no file {endless!r}."))
    assert "'/data/" in message and "gone.txt'" in message and "..." in message and len(message) < 300
    prose = "either a cat or/and a dog " * 10
    assert len(str(WorkbenchError(f"Not a number: {prose!r}."))) < 120


@pytest.mark.skipif(sys.platform == "win32", reason="has no such limit")
def test_a_limit_of_memory_is_named_only_where_there_is_one_and_the_message_fits(monkeypatch):
    import resource

    full = "tokenizers.abi3.so: failed to map segment from shared object"
    monkeypatch.setattr(resource, "getrlimit", lambda _: (800_000_000, resource.RLIM_INFINITY))
    assert "800 MB here (ulimit -v)" in memory_limit(full) and memory_limit("No module named 'x'") == ""
    words = "ImportError: tokenizers.abi3.so: failed to map segment from shared object. Memory ran out: "
    assert unforeseen(ImportError(full)).startswith(words)
    monkeypatch.setattr(resource, "getrlimit", lambda _: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert memory_limit(full) == ""
