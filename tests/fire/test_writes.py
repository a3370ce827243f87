"""A few failing writes and a few full disks. `python -m tests.fire.writes` fails every write, each in a run of its own, and tries
as many disks as it is told to, each also with another run once there is room.

Here the writes fail one after the other in the workers of one run, early to late, and another run is only started where the full
disk left none to resume: each worker takes seconds of a core.
"""

from contextlib import contextmanager

import pytest

from tests.fire import writes

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
pytest.importorskip("resource")


FAILING = ((1, "ENOSPC"), (17, "EIO"), (21, "ENOSPC"), (40, "EIO"))
"""The first event; what is measured before step 1; a checkpoint; the model folder."""


@contextmanager
def made(place, **about):
    with pytest.MonkeyPatch.context() as patch:
        for name in ("THREADS", "CHECKPOINT_SECONDS", "IDLE_SECONDS", "SPARES", "FAULT"):
            patch.setenv(f"WORKBENCH_{name}", "1")  # `Disk` sets them; here they are as before afterwards
        disk = writes.Disk(place, **about)
        yield disk
        disk.end()


@pytest.fixture(scope="module")
def disk(tmp_path_factory):
    with made(tmp_path_factory.mktemp("writes")) as disk:
        yield disk


def test_writes_that_fail_end_in_messages_and_lose_nothing(disk):
    """The last worker has all its writes, so that no failure is counted."""
    assert disk.in_a_row(*FAILING, (100_000, "ENOSPC")) == len(FAILING), "a worker's life has fewer writes"
    assert not disk.wrong, "\n".join(disk.wrong)


def test_writes_of_a_pretraining_that_fail_lose_nothing_either(tmp_path):
    with made(tmp_path, pretraining=True) as disk:
        assert disk.in_a_row(*FAILING, (100_000, "ENOSPC")) == len(FAILING), "a worker's life has fewer writes"
        assert not disk.wrong, "\n".join(disk.wrong)


@pytest.mark.parametrize("size_bytes", [4_000, 60_000])
def test_files_that_may_not_grow_end_in_a_message(disk, size_bytes):
    disk.limited(size_bytes, another=False)
    assert not disk.wrong, "\n".join(disk.wrong)


@pytest.mark.parametrize("missing_bytes", [0, 1, 300_000])
def test_an_array_that_does_not_fit_ends_in_a_message(disk, missing_bytes):
    disk.vectors(missing_bytes)
    assert not disk.wrong, "\n".join(disk.wrong)


@pytest.mark.skipif(
    not writes.can_mount(), reason="NO DISK: a small one is mounted only where this may be done (as root)"
)
def test_a_full_disk_ends_in_a_message(disk):
    disk.full(500_000, another=False)
    assert not disk.wrong, "\n".join(disk.wrong)
