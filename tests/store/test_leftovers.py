import os
import zipfile
from dataclasses import replace

import pytest

from tests.store.test_runs import CONFIG
from workbench.processes import liveness
from workbench.scheduler import launch
from workbench.store import events, leftovers
from workbench.store.archive import pack
from workbench.store.create import create


def test_what_killed_processes_left_is_swept(folder):
    live, ended, lost = (create(folder, CONFIG) for _ in range(3))
    events.add(live.folder, events.STARTING, who=liveness.identity())
    events.add(ended.folder, events.STOPPED)
    events.add(lost.folder, events.STARTING, who={})
    events.add(lost.folder, events.LOST)
    for place in ("heartbeats", "ballast"):
        (folder.jobs / place).mkdir(exist_ok=True)
        for run in (live.id, ended.id, lost.id, "20200101-000000-gone"):
            (folder.jobs / place / run).touch()
    for name in ("deleted-a-run-1", "new-old", "import-old", "new-young", "import-young"):
        (folder.jobs / name / "inside").mkdir(parents=True)
        if name.endswith("old"):
            os.utime(folder.jobs / name / "inside", (1, 1))
            os.utime(folder.jobs / name, (1, 1))
    leftovers.sweep(folder)
    left = {path.name for path in folder.jobs.iterdir() if path.is_dir()}
    assert left == {"heartbeats", "ballast", "new-young", "import-young"}
    assert {path.name for path in (folder.jobs / "heartbeats").iterdir()} == {live.id, lost.id}
    assert {path.name for path in (folder.jobs / "ballast").iterdir()} == {live.id}


def test_what_a_killed_worker_was_writing_is_swept(folder):
    run = create(folder, CONFIG)
    before = {path.name for path in run.folder.iterdir()}
    (run.folder / ".model.tmp").mkdir()
    (run.folder / ".model.tmp" / "model.safetensors").write_bytes(b"half")
    (run.folder / "checkpoints" / "last").mkdir(parents=True)
    (run.folder / "checkpoints" / "last" / ".state.json.0a1b2c3d.tmp").write_bytes(b"{")
    leftovers.sweep_run(run.folder)
    assert {path.name for path in run.folder.iterdir()} == {*before, "checkpoints"}
    assert not list((run.folder / "checkpoints" / "last").iterdir())


def test_deleting_a_run_deletes_its_archives(folder):
    kept, gone = (create(folder, CONFIG) for _ in range(2))
    files = {run.id: leftovers.archives(folder, run.id) for run in (kept, gone)}
    lost = leftovers.archives(folder, "20200101-000000-gone")
    for path in (*files[kept.id], *files[gone.id], *lost):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"zip")
    events.add(gone.folder, events.STOPPED)
    launch.delete(gone, gone.id)
    assert {*files[kept.id][0].parent.iterdir()} == {*files[kept.id], *lost}
    leftovers.sweep(folder)
    assert {*files[kept.id][0].parent.iterdir()} == {*files[kept.id]}


@pytest.mark.parametrize("killed", [True, False])
@pytest.mark.parametrize(("kept", "state"), [("best", events.DONE), ("best", events.STOPPED), ("both", events.DONE)])
def test_a_last_checkpoint_whose_worker_was_killed_before_it_removed_it_is_swept(folder, tmp_path, kept, state, killed):
    """It is not exported meanwhile either."""
    run = create(folder, replace(CONFIG, storage=replace(CONFIG.storage, checkpoints=kept)))
    last = run.folder / "checkpoints" / "last"
    last.mkdir(parents=True)
    (last / "state.json").write_text("{}")
    for event in (events.STARTING, events.RUNNING, events.SAVING, state):
        events.add(run.folder, event)
    if killed:
        run.heartbeat.parent.mkdir(exist_ok=True)
        run.heartbeat.touch()
    removed = (kept, state) == ("best", events.DONE)
    with zipfile.ZipFile(pack(run, tmp_path / "run.zip")) as archive:
        assert (f"{run.id}/checkpoints/last/state.json" in archive.namelist()) is not removed
    leftovers.sweep(folder)
    assert last.exists() is not (removed and killed) and not run.heartbeat.exists()
