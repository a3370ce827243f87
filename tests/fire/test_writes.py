"""A few failing writes and a few full disks; `python -m tests.fire.writes` fails every write."""

import pytest

from tests.fire import writes

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
pytest.importorskip("resource")


@pytest.fixture(scope="module")
def disk(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        for name in ("THREADS", "CHECKPOINT_SECONDS", "IDLE_SECONDS", "FAULT"):
            patch.setenv(f"WORKBENCH_{name}", "1")  # `Disk` sets them; here they are as before afterwards
        made = writes.Disk(tmp_path_factory.mktemp("writes"))
        yield made
        made.end()


@pytest.mark.parametrize(
    ("number", "error"), [(1, "ENOSPC"), (4, "EIO"), (11, "ENOSPC"), (17, "EIO"), (23, "ENOSPC"), (31, "EIO")]
)
def test_a_write_that_fails_ends_in_a_message_and_loses_nothing(disk, number, error):
    assert disk.nth(number, error), f"a worker's life has fewer than {number} writes"
    assert not disk.wrong, "\n".join(disk.wrong)


def test_without_a_failing_write_no_failure_is_counted(disk):
    assert not disk.nth(100_000, "ENOSPC")


@pytest.mark.parametrize("size_bytes", [4_000, 60_000])
def test_files_that_may_not_grow_end_in_a_message(disk, size_bytes):
    disk.limited(size_bytes)
    assert not disk.wrong, "\n".join(disk.wrong)


@pytest.mark.parametrize("missing_bytes", [0, 1, 4_000, 300_000])
def test_an_array_that_does_not_fit_ends_in_a_message(disk, missing_bytes):
    disk.vectors(missing_bytes)
    assert not disk.wrong, "\n".join(disk.wrong)


@pytest.mark.skipif(
    not writes.can_mount(), reason="NO DISK: a small one is mounted only where this may be done (as root)"
)
def test_a_full_disk_ends_in_a_message(disk):
    disk.full(500_000)
    assert not disk.wrong, "\n".join(disk.wrong)
