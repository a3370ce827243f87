import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.store.test_runs import CONFIG
from workbench import api
from workbench.core.errors import BadRun
from workbench.core.writing import is_disk_full
from workbench.processes import liveness, sqlite
from workbench.processes.sqlite import Database, disk_kind, on_network
from workbench.scheduler import launch
from workbench.scheduler.queue import Queue, wish
from workbench.store import events, lookup, names
from workbench.store.create import create


@pytest.fixture
def queue(tmp_path):
    return Queue(names.runs_folder(tmp_path / "runs"))


def test_first_come_first_served_on_a_free_device(queue):
    for run, device in (("a-run-1", "cuda:0"), ("a-run-2", "cpu"), ("a-run-3", "cuda:0")):
        queue.add(run, device)
    busy = {"cuda:0"}
    slot = lambda _, wish: "" if wish in busy else wish  # noqa: E731
    assert queue.claim(slot) == ("a-run-2", "cpu")
    busy = {"cpu"}
    assert queue.claim(slot) == ("a-run-1", "cuda:0")
    busy |= {"cuda:0"}
    assert queue.claim(slot) is None
    assert queue.waiting() == ["a-run-3"] and queue.claimed() == ["a-run-1", "a-run-2"]
    queue.back("a-run-1")
    assert queue.waiting() == ["a-run-1", "a-run-3"]
    assert not queue.remove("a-run-2", "queued") and queue.remove("a-run-2") and not queue.remove("a-run-2")


def test_no_run_overtakes_one_that_waits_for_several_devices(queue):
    for run, wished in (("a-run-1", "cuda:0"), ("a-run-2", wish("auto", 2)), ("a-run-3", "cuda:1")):
        queue.add(run, wished)
    assert queue.claim(lambda _, wished: "" if " " in wished else wished) == ("a-run-1", "cuda:0")
    assert queue.claim(lambda _, wished: "" if " " in wished else wished) is None
    assert queue.claim(lambda _, wished: "cuda:0 cuda:1") == ("a-run-2", "cuda:0 cuda:1")


def test_a_run_is_put_before_those_that_wait_for_the_same_place(queue):
    for run, wished in (("a-run-1", "auto"), ("a-run-2", "hpc/auto"), ("a-run-3", "auto"), ("a-run-4", "cpu")):
        queue.add(run, wished)
    assert queue.first("a-run-4") < queue.first("a-run-2") and queue.first("a-run-3")
    assert queue.ahead("a-run-3") == [] and queue.ahead("a-run-4") == ["a-run-3"]
    assert queue.ahead("a-run-1") == ["a-run-3", "a-run-4"]
    assert queue.claim(lambda _, wished: "" if "/" in wished else wished) == ("a-run-3", "auto")
    assert queue.first("a-run-3") is None and queue.first("a-ghost-of-a-run") is None, "they do not wait"
    queue.back("a-run-3")
    assert queue.claim(lambda _, wished: "" if "/" in wished else wished) == ("a-run-3", "auto"), "it kept its place"


def test_whoever_was_put_first_stays_so_in_an_index_that_is_built_anew(queue, monkeypatch):
    monkeypatch.setenv("WORKBENCH_PROCESSES", "off")
    runs = [create(queue.folder, CONFIG) for _ in range(4)]
    queue.reindex()
    api.run_next(runs[2])
    api.run_next(runs[3])
    order = [runs[number].id for number in (3, 2, 0, 1)]
    assert queue.waiting() == order and runs[3].state == events.QUEUED
    assert queue.reindex() == 4 and queue.waiting() == order
    queue.remove(runs[2].id)
    assert queue.complete() == 1 and queue.waiting() == order
    api.stop(runs[3])
    with pytest.raises(BadRun, match="it is stopped"):
        api.run_next(runs[3])
    api.resume(runs[3])
    queue.reindex()
    assert queue.waiting() == [runs[number].id for number in (2, 0, 1, 3)], "a place is that of one wait"


def test_concurrent_claims_give_a_run_once(queue):
    for number in range(30):
        queue.add(f"a-run-{number}")
    with ThreadPoolExecutor(8) as pool:
        claimed = list(pool.map(lambda _: queue.claim(lambda _, wish: wish), range(40)))
    got = [run for run, _ in filter(None, claimed)]
    assert len(got) == len(set(got)) == 30


def test_the_index_is_built_from_the_folders(queue):
    runs = [create(queue.folder, CONFIG) for _ in range(3)]
    events.add(runs[0].folder, events.STARTING, who=liveness.identity())
    events.add(runs[1].folder, events.STOPPED)
    queue.add("a-ghost-of-a-run")
    assert queue.reindex() == 2
    assert queue.claimed() == [runs[0].id] and queue.waiting() == [runs[2].id]


def test_a_new_run_that_was_started_already_keeps_its_place(queue):
    run = create(queue.folder, CONFIG)
    assert queue.complete() == 1 and queue.complete() == 0  # the supervisor looked between folder and row
    queue.claim(lambda _, wish: wish)
    queue.add(run.id)
    assert queue.claimed() == [run.id] and queue.waiting() == []
    queue.add(run.id, again=True)
    assert queue.claimed() == [] and queue.waiting() == [run.id]


def test_a_damaged_index_is_moved_aside(queue):
    run, worked = create(queue.folder, CONFIG), create(queue.folder, CONFIG)
    events.add(worked.folder, events.STARTING, who=liveness.identity())
    queue.database.path.parent.mkdir(exist_ok=True)
    queue.database.path.write_bytes(b"this is no database, whatever its name says" * 100)
    assert queue.waiting() == []
    assert queue.complete() == 2 and queue.waiting() == [run.id] and queue.claimed() == [worked.id]
    assert list(queue.folder.jobs.glob("*.damaged"))


def test_an_index_with_a_damaged_page_is_moved_aside(queue):
    """Its beginning is whole, so that it opens without an error."""
    run = create(queue.folder, CONFIG)
    queue.reindex()
    with queue.database.read() as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = queue.database.path.read_bytes()
    queue.database.path.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))
    with pytest.raises(sqlite3.DatabaseError, match="malformed"):
        queue.add(run.id)
    assert list(queue.folder.jobs.glob("*.damaged"))
    assert queue.complete() == 1 and queue.waiting() == [run.id]


@pytest.fixture
def page_damaged(queue):
    """A queue whose first page is whole, so that its file opens without an error."""
    rows = [(f"a-run-{number}", number) for number in range(3_000)]
    with queue.database.read() as connection:
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO jobs VALUES (?, ?, 'auto', 'queued', NULL)", rows)
        connection.execute("COMMIT")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = bytearray(queue.database.path.read_bytes())
    for start in range(2 * 4096, len(content), 4096):
        content[start : start + 16] = b"\xff" * 16
    queue.database.path.write_bytes(content)
    return queue


@pytest.mark.parametrize(
    "look",
    [
        Queue.waiting,
        Queue.waits,
        Queue.complete,
        lambda queue: queue.holds("a-run-7"),
        lambda queue: queue.ahead("a-run-7"),
        lambda queue: queue.waiting_after("a-run-7", 10),
    ],
)
def test_who_looks_into_a_damaged_index_looks_into_a_new_one(page_damaged, look):
    assert not look(page_damaged) and list(page_damaged.folder.jobs.glob("*.damaged"))


def test_a_new_index_is_not_moved_aside_for_the_damaged_one_before_it(page_damaged):
    run = create(page_damaged.folder, CONFIG)
    with pytest.raises(sqlite3.DatabaseError, match="malformed"), page_damaged.database.read() as connection:
        assert page_damaged.waiting() == []  # another process finds the damage first, and has a new file
        page_damaged.add(run.id)
        connection.execute("SELECT run FROM jobs WHERE state = 'queued' ORDER BY place").fetchall()
    assert page_damaged.waiting() == [run.id]


def test_a_transaction_is_atomic(tmp_path):
    table = Database(tmp_path / "a.sqlite", "CREATE TABLE IF NOT EXISTS t (a INTEGER)")
    with pytest.raises(KeyError), table.write() as connection:
        connection.execute("INSERT INTO t VALUES (1)")
        raise KeyError
    with table.read() as connection:
        assert connection.execute("SELECT count(*) FROM t").fetchone()[0] == 0


def test_a_log_that_may_not_grow_is_written_over(tmp_path):
    """While the file is held open, SQLite does not begin its log again by itself: a run would never be claimed."""
    resource = pytest.importorskip("resource")
    table = Database(tmp_path / "a.sqlite", "CREATE TABLE IF NOT EXISTS t (a INTEGER)")
    refused, before = [], resource.getrlimit(resource.RLIMIT_FSIZE)
    with table.read():
        resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, before[1]))
        try:
            for number in range(60):
                try:
                    with table.write() as connection:
                        connection.execute("INSERT INTO t VALUES (?)", (number,))
                except sqlite3.OperationalError as error:
                    assert is_disk_full(error)
                    refused.append(number)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert refused, "the log did not reach its limit"
    assert not {number + 1 for number in refused} & {*refused}, "what is repeated has room"
    assert [row["a"] for row in table.rows("SELECT a FROM t")] == [n for n in range(60) if n not in refused]


def test_a_new_file_that_another_process_holds_is_waited_for(tmp_path):
    """As where several begin at once in a new runs folder."""
    path = tmp_path / "a.sqlite"
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    threading.Timer(0.3, other.execute, ["COMMIT"]).start()
    with Database(path, "CREATE TABLE IF NOT EXISTS t (a INTEGER)").write() as connection:
        connection.execute("INSERT INTO t VALUES (1)")
        assert connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
    other.close()


def test_a_file_of_an_earlier_version_gets_what_it_lacks_and_keeps_its_rows(tmp_path):
    path, first = tmp_path / "a.sqlite", "CREATE TABLE IF NOT EXISTS t (a INTEGER);"
    before = sqlite3.connect(path)  # as earlier versions left it, without a number
    before.execute(first)
    before.execute("INSERT INTO t VALUES (1)")
    before.commit()
    before.close()
    later = Database(path, f"{first} CREATE TABLE IF NOT EXISTS u (b INTEGER);")
    for _ in range(2):
        with later.write() as connection:
            connection.execute("INSERT INTO u SELECT a FROM t")
    assert [row["b"] for row in later.rows("SELECT b FROM u")] == [1, 1]
    assert [row["a"] for row in Database(path, first).rows("SELECT a FROM t")] == [1]


def test_a_local_disk_is_not_a_network_disk(tmp_path):
    assert on_network(tmp_path) is False


def test_network_disks_are_recognised_by_their_mounts(tmp_path, monkeypatch):
    mounts = {"/": "ext4", "/net work": "nfs4", "/far": "fuse.rclone", "/usb": "fuseblk", "/home": "autofs"}
    mounts |= {"/host": "virtiofs", "/box": "vboxsf"}
    written = [*mounts.items(), ("/homes", "cifs"), ("/homes/me", "tmpfs")]
    lines = [
        "1 2 0:1 / {} rw shared:1 - {} source rw".format(place.replace(" ", r"\040"), kind) for place, kind in written
    ]
    (tmp_path / "mountinfo").write_text("\n".join(lines) + "\n")
    monkeypatch.setattr(sqlite, "MOUNTS", tmp_path / "mountinfo")
    look = on_network.__wrapped__
    assert all(look(Path(place)) for place in ("/net work/runs/.jobs", "/far", "/homes/you", "/host/a", "/box/a"))
    assert [disk_kind(Path(place)) for place in ("/far/runs", "/usb", "/homes/me")] == [
        "fuse.rclone",
        "fuseblk",
        "tmpfs",
    ]
    assert not any(look(Path(place)) for place in ("/net", "/usb/runs", "/homes/me/runs"))


def test_a_run_with_unreadable_events_does_not_hide_others(queue):
    odd, run = create(queue.folder, CONFIG), create(queue.folder, CONFIG)
    (odd.folder / names.EVENTS).unlink()
    (odd.folder / names.EVENTS).mkdir()
    assert queue.complete() == 1 and queue.waiting() == [run.id]
    assert {one.id: one.state for one in lookup.all_runs(queue.folder)} == {odd.id: "", run.id: "queued"}
    launch.delete(odd, odd.id)
    assert not odd.folder.exists()


def test_an_unwritable_index_is_reported(tmp_path):
    folder = names.runs_folder(tmp_path / "runs")
    folder.jobs.write_text("a file where the folder of the index should be")
    with pytest.raises(BadRun, match="cannot be used"):
        api.reindex(folder.path)


def test_those_ahead_are_the_claimed_and_the_earlier_ones(folder):
    queue = Queue(folder)
    for number in range(4):
        queue.add(f"a-run-{number}")
    assert queue.claim(lambda run, asks: asks) == ("a-run-0", "auto")
    assert queue.ahead("a-run-3") == ["a-run-0", "a-run-1", "a-run-2"] and queue.ahead("a-run-1") == ["a-run-0"]
    assert queue.ahead("a-run-0") == [] and queue.ahead("another") == [], "they do not wait"
    queue.remove("a-run-1")
    assert queue.ahead("a-run-3") == ["a-run-0", "a-run-2"]
