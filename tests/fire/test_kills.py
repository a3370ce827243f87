"""Ten kills; `python -m tests.fire.kills` does two hundred."""

import shutil

import pytest

from tests.fire import field
from tests.fire.kills import fire
from tests.trial import until
from workbench import api

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


def test_kills_at_random_lose_nothing(tmp_path, monkeypatch):
    for name in ("WORKBENCH_THREADS", "WORKBENCH_CHECKPOINT_SECONDS", "WORKBENCH_IDLE_SECONDS"):
        monkeypatch.setenv(name, "1")  # `fire` sets them; here they are as before afterwards
    made = fire(10, 1, tmp_path)
    assert sum(made.kills.values()) >= 10 and made.finished
    assert not made.wrong, "\n".join(made.wrong)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """An undisturbed run."""
    place = tmp_path_factory.mktemp("calm")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WORKBENCH_THREADS", "1")
        given = field.settings(field.world(place / "tiny"), steps=4, every=2)
        run = api.train(runs=place / "runs", **given)
        yield run
        field.end_all(place / "runs")


def test_an_undisturbed_run_passes_the_checks(finished):
    assert not field.wrong_with_files(finished.folder) + field.wrong_with_state(finished)
    assert not field.left_over(finished.folder)
    until(lambda: not field.index_of(finished.folder.parent))  # the supervisor's next look at the folders


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("config.toml", b"recipe = ", "config.toml"),
        ("environment.json", b'{"python": ', "environment.json"),
        ("steps.jsonl", b'{"step": 1}\n{"st\n{"step": 3}\n', "1 damaged lines"),
        ("checkpoints/best/state.json", b'{"files": {"weights": "none.safetensors"}}', "none.safetensors"),
    ],
)
def test_faults_are_found(finished, tmp_path, name, content, said):
    damaged = tmp_path / "runs" / finished.id
    shutil.copytree(finished.folder, damaged)
    (damaged / name).write_bytes(content)
    assert said in "\n".join(field.wrong_with_files(damaged))


def test_a_run_wrongly_marked_done_is_found(finished, tmp_path):
    runs = tmp_path / "runs"
    shutil.copytree(finished.folder, runs / finished.id)
    shutil.rmtree(runs / finished.id / "model")
    (runs / finished.id / "steps.jsonl").write_text('{"step": 1, "loss": 1.0}\n')
    said = "\n".join(field.wrong_with_state(api.run(finished.id, runs=runs)))
    assert "has no model" in said and "at step 1 of 4" in said
    assert field.outcome(finished.folder)["losses"][0][0] == 1
