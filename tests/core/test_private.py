import os
import shutil
import stat
import subprocess
import sys

import pytest

from tests.plugins.real_runs import end_processes
from tests.run_folders import make_run
from tests.trial import TEXTS
from workbench import api
from workbench.compute.tickets import compute
from workbench.core import private
from workbench.core.errors import BadRun
from workbench.processes.sqlite import Database
from workbench.scheduler import supervision
from workbench.scheduler.queue import Queue
from workbench.store import events, listed, names
from workbench.store.names import runs_folder
from workbench.verbs import VERBS

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")


@pytest.fixture(autouse=True)
def usual_umask():
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def open_to_others(folder):
    """All below a folder, and itself, that others could read, write or enter."""
    return [
        str(path) for path in (folder, *folder.rglob("*")) if path.lstat().st_mode & 0o077 and not path.is_symlink()
    ]


def test_what_is_made_in_a_private_folder_is_private(tmp_path):
    private_one, public_one = tmp_path / "private", tmp_path / "public"
    private_one.mkdir(0o700)
    public_one.mkdir()
    for folder, modes in ((private_one, (0o700, 0o600)), (public_one, (0o755, 0o644))):
        private.make_folder(folder / "a" / "b")
        private.make_folder(folder / "a" / "b")
        assert (mode(folder / "a"), mode(folder / "a" / "b")) == (modes[0], modes[0])
        assert private.file_mode(folder) & ~0o022 == modes[1]
    with open(public_one / "c", "w", opener=private.opener):
        pass
    assert mode(public_one / "c") == 0o600


def test_a_file_in_the_place_of_a_folder_is_an_error(tmp_path):
    (tmp_path / "a").write_text("")
    for path in (tmp_path / "a", tmp_path / "a" / "b"):
        with pytest.raises(OSError, match="a"):
            private.make_folder(path)


def test_a_database_hides_its_log_too(tmp_path):
    database = Database(tmp_path / "open" / "queue.sqlite", "CREATE TABLE IF NOT EXISTS a (b)")
    with database.write() as connection:
        connection.execute("INSERT INTO a VALUES (1)")
        files = list((tmp_path / "open").iterdir())
        assert len(files) > 1 and {mode(path) for path in files} == {0o600}


def test_an_open_runs_folder_is_closed_and_reported_once(tmp_path, capsys):
    private._say.cache_clear()
    folder = tmp_path / "runs"
    folder.mkdir()
    assert mode(folder) == 0o755
    for _ in range(2):
        runs_folder(folder)
    assert mode(folder) == 0o700
    said = capsys.readouterr().err
    assert said.count(str(folder)) == 1 and "was open to other accounts" in said
    assert mode(runs_folder(tmp_path / "new").path) == 0o700
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("kind", ["home", "shared", "another's"])
def test_a_folder_that_is_not_ours_stays_open_and_is_reported(tmp_path, capsys, monkeypatch, kind):
    private._say.cache_clear()
    folder = tmp_path / "runs"
    folder.mkdir()
    if kind == "home":
        monkeypatch.setenv("HOME", str(folder))
    elif kind == "shared":
        folder.chmod(0o1777)
    elif os.geteuid() == 0:
        os.chown(folder, 65534, 65534)
    else:
        pytest.skip("only root can give a folder away")
    before = mode(folder)
    runs_folder(folder)
    said = capsys.readouterr().err
    assert mode(folder) == before and "not ours to close" in said and "--runs" in said


@pytest.fixture
def anothers(tmp_path, monkeypatch):
    """A run in the runs folder of another account, which has worked there."""
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder away")
    monkeypatch.setenv("WORKBENCH_PROCESSES", "off")
    folder = runs_folder(tmp_path / "runs")
    run = make_run(folder, state="stopped")
    Queue(folder).reindex()
    for path in (folder.path, *folder.path.rglob("*")):
        os.chown(path, 65534, 65534)
    return run


def of_root(run):
    """What of a runs folder its owner could not read."""
    return [path for path in run.folder.parent.rglob("*") if path.stat().st_uid == 0]


CHANGES = {
    "submit": lambda run, runs: api.train(steps=1, runs=runs),
    "ask": lambda run, runs: api.encode(["a"], runs=runs),
    "stop": lambda run, runs: api.stop(run),
    "resume": lambda run, runs: api.resume(run),
    "accept": lambda run, runs: api.resume(run, accept=True),
    "next": lambda run, runs: api.run_next(run),
    "delete": lambda run, runs: api.delete(run, run.id),
    "rename": lambda run, runs: api.rename(run, "new"),
    "reindex": lambda run, runs: api.reindex(runs),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_would_lock_the_owner_out_is_refused(anothers, change):
    before = {path: path.stat().st_mtime_ns for path in anothers.folder.rglob("*")}
    with pytest.raises(BadRun, match="is the runs folder of another account") as refused:
        CHANGES[change](anothers, anothers.folder.parent)
    owner = private.account(65534)
    assert f"account, {owner}." in str(refused.value) and f"Run this as {owner}, or" in str(refused.value)
    assert not of_root(anothers)
    assert before == {path: path.stat().st_mtime_ns for path in anothers.folder.rglob("*")}


def test_reading_goes_on_in_the_folder_of_another_account(anothers, monkeypatch):
    folder = names.RunsFolder(anothers.folder.parent)
    monkeypatch.delenv("WORKBENCH_PROCESSES")
    monkeypatch.setattr(listed, "_WORTH_WRITING", 1)
    events.add(anothers.folder, events.QUEUED)  # so that a supervisor would be wanted
    os.chown(anothers.folder / names.EVENTS, 65534, 65534)
    runs = api.runs(folder.path, newest=5)
    assert [run.id for run in runs] == [anothers.id] and listed.rows(runs)
    assert api.run(anothers.id, runs=folder.path).config and not of_root(anothers)
    assert not compute(folder).alive() and not supervision.supervisor(folder).alive()


def test_a_closed_folder_of_copied_runs_is_its_owners_too(anothers):
    folder = anothers.folder.parent
    shutil.rmtree(folder / ".jobs")
    with pytest.raises(BadRun, match="another account"):
        runs_folder(folder)
    shutil.rmtree(anothers.folder)
    assert runs_folder(folder).path == folder  # a new one, such as a volume of a container


def test_a_disk_that_gives_all_files_to_one_owner_can_be_used(anothers, monkeypatch):
    """As NFS that squashes ids does, or a disk of another system."""
    monkeypatch.setattr(private, "_owner_of_new", lambda folder: 65534)
    assert runs_folder(anothers.folder.parent).jobs.exists()


def test_where_nothing_can_be_written_there_is_nothing_to_refuse(anothers, monkeypatch):
    """An archive that is shared: each command that writes says so itself."""
    monkeypatch.setattr(private, "_owner_of_new", lambda folder: None)
    assert runs_folder(anothers.folder.parent).jobs.exists()


@pytest.mark.slow
def test_nothing_of_a_real_run_can_be_read_by_others(tmp_path, tiny, monkeypatch):
    """A run, questions to the process that computes, a recipe that is kept, an archive: each made with a usual umask."""
    monkeypatch.setenv("WORKBENCH_THREADS", "1")
    folder = runs_folder(tmp_path / "runs")
    pairs = str(tiny / "pairs.tsv")
    out = tmp_path / "out"
    out.mkdir()
    settings = {"steps": 10, "batch_size": 8, "threads": 1, "probe.every": 5, "probe.pairs": pairs}
    asked = {"backbone": str(tiny / "bert"), "corpus": str(tiny / "corpus.txt"), "precision": "fp32", "seed": 0}
    try:
        run = api.train("simcse_unsup", runs=folder.path, accept=True, **asked, **settings)
        assert run.state == "done"
        api.save_recipe(run, "kept", runs=folder.path)
        ticket = api.submit(VERBS["encode"], runs=folder.path, target=str(tiny / "bert"), texts=TEXTS[:4])
        ticket.wait(120)
        words = ["encode", "one text", "another", "--target", str(tiny / "bert"), "--out", str(out / "v.npy")]
        environment = {**os.environ, "WORKBENCH_RUNS": str(folder.path)}
        subprocess.run([sys.executable, "-m", "workbench", *words], env=environment, check=True, capture_output=True)
        archive = api.export_run(run, out / "run.zip")
        again = api.import_run(archive, runs=tmp_path / "other")
        made = {path.relative_to(folder.path).parts[0] for path in folder.path.rglob("*")}
        assert {".jobs", ".cache", ".recipes", run.id} <= made and compute(folder).pid()
        assert not open_to_others(folder.path) and not open_to_others(tmp_path / "other")
        assert again.state == "done"
        # What is asked for outside keeps the user's umask.
        assert (mode(archive), mode(out / "v.npy")) == (0o644, 0o644)
        if os.geteuid() == 0:
            seen = subprocess.run(
                ["cat", str(run.folder / "config.toml"), str(folder.jobs / "queue.sqlite")],
                user=65534,
                group=65534,
                extra_groups=[],
                capture_output=True,
                text=True,
                check=False,
            )
            assert seen.stdout == "" and seen.stderr.count("Permission denied") == 2
    finally:
        end_processes(folder)
