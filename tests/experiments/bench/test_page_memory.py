import pytest

from experiments.bench.app import chromium
from experiments.bench.page_memory import CHANGES, EVERY, PAGES, app_bytes, memory
from experiments.bench.summaries import summary


def test_each_page_is_visited_as_often_as_the_others():
    assert CHANGES % len(PAGES) == 0 and CHANGES >= 200 and CHANGES % EVERY == 0


def test_processes_of_other_folders_are_not_counted(tmp_path):
    assert app_bytes(str(tmp_path / "runs")) == {"server_bytes": 0, "compute_bytes": 0}


def test_a_reading_is_a_line():
    row = {"what": "after 29 page changes", "server_bytes": 160e6, "compute_bytes": 2e9, "browser_bytes": 5e8}
    assert summary("memory", [{**row, "heap_bytes": 38e6, "nodes": 4184, "listeners": 688}]) == [
        "memory: after 29 page changes: server 160 MB, compute 2,000 MB, browser 500 MB, JavaScript 38 MB, 4,184 nodes, "
        "688 listeners"
    ]


@pytest.mark.measure
@pytest.mark.timeout(1200)
def test_memory_is_flat_over_two_hundred_page_changes():
    if chromium() is None:
        pytest.skip("NO BROWSER: install chromium to measure the memory of the app as people see it")
    rows = list(memory(""))
    once, last = rows[1], rows[-1]  # each page was opened four times before the first of them
    for name, most in (("server_bytes", 1.1), ("compute_bytes", 1.1), ("browser_bytes", 1.1), ("heap_bytes", 1.25)):
        assert 0 < last[name] <= most * once[name], (name, once[name], last[name])
    assert last["nodes"] <= 1.05 * once["nodes"] and last["listeners"] <= 1.05 * once["listeners"]
