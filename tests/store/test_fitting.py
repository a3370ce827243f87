import json

import pytest

from tests.store.test_runs import CONFIG
from workbench.preflight import estimates
from workbench.store import events, names, shapes
from workbench.store.create import create
from workbench.store.fitting import fitting, read_rows, read_whole
from workbench.store.run import Run
from workbench.store.summary import summary


@pytest.fixture
def run(tmp_path):
    made = create(names.runs_folder(tmp_path / "runs"), CONFIG)
    for event in (events.STARTING, events.DONE):
        events.add(made.folder, event)
    return made


def write(run, file, content):
    path = run.folder / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))


def test_invalid_values_are_removed_with_the_objects_that_require_them():
    lost = []
    report = {
        "rows": "x",
        "texts": 3,
        "overlap": [{"name": "a", "sentences": 1, "common": 1}, {"name": "b", "common": 1}, 7],
        "tokens": {"mean": 1.0},
        "later": {"anything": [1]},
    }
    fits = fitting(shapes.Report, report, lost)
    assert fits == {"texts": 3, "overlap": report["overlap"][:1], "later": {"anything": [1]}}
    assert any(line.startswith("rows: ") for line in lost) and any(line.startswith("overlap.2: ") for line in lost)


@pytest.mark.parametrize("half", [b"\\ud800", b"\xed\xa0\x80"])
def test_half_a_character_is_replaced_everywhere(tmp_path, half):
    row = b'{"step": 1, "later": {"%b": ["%b"]}}' % (half, half)
    whole = {"step": 1, "later": {"\ufffd": ["\ufffd"]}}
    (tmp_path / "steps.jsonl").write_bytes(row + b"\n")
    (tmp_path / "probes.jsonl").write_bytes(b'{"step": 1, "pairs": "%b"}\n' % half)
    (tmp_path / "steps.json").write_bytes(b"[%b]" % row)
    assert list(read_rows(tmp_path / "steps.jsonl", shapes.Step)) == [whole]
    assert list(read_rows(tmp_path / "probes.jsonl", shapes.Probe)) == [{"step": 1, "pairs": "\ufffd"}]
    assert read_whole(tmp_path / "steps.json", list[shapes.Step]) == [whole]


@pytest.mark.parametrize("value", [True, "3", 3.5, -1, 10**400, None, [], {}, float("nan")])
def test_a_step_that_is_not_a_number_is_left_out(value):
    assert fitting(shapes.Step, {"step": value}) is None


def test_unusable_numbers_are_removed():
    row = {"step": 1, "loss": float("inf"), "seconds": 1e300, "time": -1, "losses": {"a": float("nan"), "b": 0.5}}
    assert fitting(shapes.Step, row) == {"step": 1, "losses": {"b": 0.5}}


@pytest.mark.parametrize("number", [0, -5, 2**31, 10**18])
def test_a_number_that_no_process_has_names_none(number):
    known = {"pid": 1, "born": "5", "machine": "a"}
    assert fitting(shapes.Who, known) == known and fitting(shapes.Who, {**known, "pid": number}) is None


@pytest.mark.parametrize("name", ["../model.safetensors", "/etc/passwd", ".hidden", "a/b", ""])
def test_the_files_of_a_checkpoint_are_in_its_folder(name):
    files = {"weights": "model-1.safetensors", "other": name}
    assert fitting(shapes.State, {"step": 1, "files": files}) == {"step": 1, "files": {"weights": files["weights"]}}


def test_a_batch_of_nothing_is_no_size():
    assert fitting(shapes.Report, {"rows": 3, "batch_size": 0}) == {"rows": 3}


@pytest.mark.parametrize(
    ("file", "content"),
    [
        (names.CORPUS, {"overlap": 5}),
        (names.CORPUS, {"overlap": ["x", {"name": 3}]}),
        (names.CORPUS, "[" * 100_000),
        (names.ENVIRONMENT, [1]),
        (names.STEPS, '{"step": 1, "seconds": "x"}\n{"step": 2, "seconds": 1e999}\n'),
        (names.PROBES, '{"step": 1, "spearman": "x"}\n'),
        (f"{names.EVALUATIONS}/scores.json", [{"suite": "pairs", "checkpoint": "best", "n": "x", "spearman": []}]),
        (f"{names.CHECKPOINTS}/best/{names.STATE}", {"step": "x"}),
    ],
)
def test_a_damaged_file_affects_only_itself_and_is_named(run, file, content):
    write(run, file, content)
    whole = create(names.RunsFolder(run.folder.parent), CONFIG)
    found = Run(run.folder)
    assert summary(found).state == "done"
    assert any(line.startswith(file) for line in found.damage)
    assert not Run(whole.folder).damage
    assert found.steps is not None and found.probes is not None and found.scores is not None
    assert estimates.seconds(names.RunsFolder(run.folder.parent), [CONFIG]) is None
