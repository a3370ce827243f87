"""One kill of each kind; `python -m tests.fire.kills` does two hundred, with more and longer runs at a time."""

import shutil

import pytest

from tests.fire import field
from tests.fire.kills import KINDS, fire
from workbench import api

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
STEPS = 100


@pytest.fixture(scope="module")
def fired(tmp_path_factory):
    """What one kill of each kind left."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("WORKBENCH_THREADS", "WORKBENCH_CHECKPOINT_SECONDS", "WORKBENCH_IDLE_SECONDS"):
            patch.setenv(name, "1")  # `fire` sets them; here they are as before afterwards
        kinds = tuple(dict.fromkeys(reversed(KINDS)))  # all together first: what was asked last is answered
        return fire(len(kinds), 1, tmp_path_factory.mktemp("kills"), kinds=kinds, steps=STEPS, most_open=2)


@pytest.fixture
def finished(fired):
    """The undisturbed run that the killed ones are compared with."""
    (run,) = api.runs(fired.calm)
    return run


def test_kills_at_random_lose_nothing(fired):
    assert fired.kills.keys() >= {*KINDS} - {"all"} and fired.finished
    assert not fired.wrong, "\n".join(fired.wrong)


def test_an_undisturbed_run_passes_the_checks(finished):
    assert not field.wrong_with_files(finished.folder) + field.wrong_with_state(finished)
    assert not field.left_over(finished.folder)
    assert not field.index_of(finished.folder.parent)


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
    assert "has no model" in said and f"at step 1 of {STEPS}" in said
    assert field.outcome(finished.folder)["losses"][0][0] == 1
