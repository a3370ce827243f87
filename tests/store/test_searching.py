"""What a search for runs looks at, and how many it returns."""

from tests.run_folders import make_run
from workbench.store.lookup import all_runs
from workbench.store.names import runs_folder
from workbench.store.searching import search


def test_all_is_known_of_the_given_runs_and_the_id_of_the_others(tmp_path):
    place = runs_folder(tmp_path / "runs")
    made = [make_run(place, number, name=f"Trial {number}") for number in range(5)]
    newest = all_runs(place, 2)

    def found(text, most=10):
        runs, more = search(place, newest, text, most)
        return [run.id for run in runs], more

    assert found("TRIAL") == ([made[4].id, made[3].id], 0)
    assert found("-s1- simcse") == ([made[1].id], 0)
    assert found("simcse", most=2) == ([run.id for run in (made[4], made[3], made[2], made[1])], 1)
    assert found("nothing") == ([], 0)
    assert found("") == ([made[4].id, made[3].id], 0)
