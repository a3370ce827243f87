"""Grids and tournaments, from the Train page to the figure."""

import pytest

from tests.pages.trial import open_page, unfolded, words_of
from tests.sweeps.test_sweeps import finish
from workbench import api
from workbench.preflight import estimates
from workbench.processes import liveness
from workbench.store import events
from workbench.ui.compare import sweeps
from workbench.ui.train import sweeps as train_sweeps


def asked(app, key):
    return next(button for button in app.button if button.key == key)


def test_a_grid_is_planned_queued_and_shown(runs, answers):
    app = unfolded(open_page("train"), "sweep.open")
    assert asked(app, "sweep.queue").label == "Queue 15 runs"
    assert "Time and disk space can be estimated once" in words_of(app)
    app.text_input(key="sweep.one.terms.0.settings.temperature").set_value("0.03, 0.05").run()
    app.number_input(key="sweep.seeds").set_value(2).run()
    app.number_input(key="train.simcse_unsup.mini-mlm.False.training.steps").set_value(3).run()
    assert asked(app, "sweep.queue").label == "Queue 4 runs" and not api.runs()
    asked(app, "sweep.queue").click().run()
    assert not app.exception and len(api.runs()) == 4
    assert all(run.config.training.steps == 3 for run in api.runs())
    assert asked(unfolded(open_page("train"), "sweep.open"), "sweep.queue").label == "Queue 15 runs"


def test_a_grid_that_is_too_large_for_the_page_is_a_line_of_python(runs, answers, monkeypatch):
    monkeypatch.setattr(train_sweeps, "MOST_PLANNED", 4)
    app = unfolded(open_page("train"), "sweep.open")
    assert not app.exception and "These are 15 runs, and this page plans at most 4." in words_of(app)
    assert not [button for button in app.button if button.key == "sweep.queue"]
    assert [
        code for code in app.code if 'api.grid("simcse_unsup"' in code.value or "api.grid('simcse_unsup'" in code.value
    ]


def test_a_known_size_without_a_known_time_is_said_so(runs, answers, monkeypatch):
    monkeypatch.setattr(estimates, "size_bytes", lambda folder, configs: 3e9)
    said = words_of(unfolded(open_page("train"), "sweep.open"))
    assert (
        "about 3.0 GB" in said and "Time can be estimated once each recipe" in said and "disk space can be" not in said
    )


def test_two_axes_and_bad_values(runs, answers):
    app = unfolded(open_page("train"), "sweep.open")
    app.selectbox(key="sweep.one.axis").set_value("terms.0.views.a.augmentation").run()
    app.selectbox(key="sweep.two.axis").set_value("terms.0.views.b.augmentation").run()
    assert not app.exception and asked(app, "sweep.queue").label == "Queue 75 runs"
    app.text_area(key="sweep.two.terms.0.views.b.augmentation").set_value("eda_swop").run()
    assert not app.exception and "eda" in app.error[0].value
    app.selectbox(key="sweep.one.axis").set_value("training.batch_size").run()
    app.text_input(key="sweep.one.training.batch_size").set_value("1").run()
    assert not app.exception and app.error


@pytest.mark.parametrize("axis", ["recipe", "backbone", "model.pooling", "augmenting.resample", "training.schedule"])
def test_every_kind_of_axis_has_values(axis, runs, answers):
    app = unfolded(open_page("train"), "sweep.open")
    app.selectbox(key="sweep.one.axis").set_value(axis).run()
    assert not app.exception and not app.error
    assert asked(app, "sweep.queue").label.startswith("Queue")


def test_a_tournament_is_planned(runs, answers):
    app = unfolded(open_page("train"), "sweep.open")
    app.button_group(key="sweep.mode").set_value("tournament").run()
    assert not app.exception and asked(app, "sweep.queue").label == "Queue 27 runs"
    app.multiselect(key="sweep.roles").set_value([]).run()
    assert "at least one augmentation and one role" in words_of(app)


def test_without_a_sweep_the_page_says_where_to_get_one(runs, answers):
    assert "No grids or tournaments yet" in words_of(open_page("compare", compare="sweeps"))


@pytest.mark.parametrize("part", [0, 3, 4])
@pytest.mark.parametrize("kind", ["line", "map", "names", "tournament"])
def test_a_sweep_is_shown_empty_partly_and_whole(kind, part, runs, answers):
    over = {
        "line": {"temperature": [0.03, 0.05]},
        "map": {"temperature": [0.03, 0.05], "dropout": [0.1, 0.2]},
        "names": {"augment_b": ["", "eda_swap"]},
    }
    sweep = (
        api.tournament(["eda_swap", "eda_swap + typo_noise"], seeds=2, steps=2)
        if kind == "tournament"
        else api.grid(over=over[kind], seeds=2, steps=2)
    )
    for number, cell in enumerate(sweep.cells[: len(sweep.cells) * part // 4]):
        finish(sweep.runs[cell.key], 0.7 + 0.01 * (number % 3))
    app = open_page("compare", compare="sweeps", sweep=sweep.id)
    assert not app.exception and not app.error
    said = words_of(app)
    assert ("No run has finished yet" in said) == (part == 0)
    assert ('class="sheet"' in said) == (part > 0)
    if part == 4:
        assert "seeds with 95 % t intervals" in said
    assert any("sweep show" in block.value for block in app.code)


def test_why_runs_failed_is_said_once_and_nothing_is_drawn_without_a_score(runs, answers):
    sweep = api.grid(over={"temperature": [0.03, 0.05]}, seeds=2, steps=2)
    for cell in sweep.cells:
        events.add(sweep.runs[cell.key].folder, events.FAILED, kind="BadData", message="There is no file 'a.txt'.")
    app = open_page("compare", compare="sweeps", sweep=sweep.id)
    assert [error.value for error in app.error] == ["4 runs ended with an error. There is no file 'a.txt'."]
    assert "No run has a score" in words_of(app) and not app.get("plotly_chart")
    assert not app.exception


def test_another_measure_and_another_drawing(runs, answers):
    sweep = api.grid(over={"temperature": [0.03, 0.05], "dropout": [0.1, 0.2]}, seeds=2, steps=2)
    for number, cell in enumerate(sweep.cells):
        finish(sweep.runs[cell.key], 0.7 + 0.01 * number)
    for drawn in ("line", "dots", "map"):
        app = open_page("compare", compare="sweeps", sweep=sweep.id, drawn=drawn, measure="seconds", at="last")
        assert not app.exception and not app.error
        assert "training seconds 1.00 over 2 seeds" in words_of(app)


def test_an_unknown_sweep_is_reported_and_a_sweep_can_be_forgotten(runs, answers):
    sweep = api.grid(over={"temperature": [0.03, 0.05]}, steps=2)
    app = open_page("compare", compare="sweeps", sweep="grid-gone-00")
    assert [one.value.partition(" here;")[0] for one in app.warning] == ["There is no “grid-gone-00”"]
    assert "grid-gone-00" not in words_of(app) and not app.exception, "it is said once"
    assert f"sweep show {sweep.id} --measure spearman --checkpoint best" in "".join(one.value for one in app.code)
    asked(app, f"forget.{sweep.id}").click().run()
    assert not app.exception and not api.sweeps() and len(api.runs()) == 2


def test_a_sweep_is_stopped_while_any_of_its_runs_waits_or_runs(runs, answers):
    sweep = api.grid(over={"temperature": [0.03, 0.05, 0.1]}, steps=2)
    done, running, _ = sweep.runs.values()
    finish(done, 0.7)
    for event in (events.STARTING, events.RUNNING):
        events.add(running.folder, event, who=liveness.identity())
    app = open_page("compare", compare="sweeps", sweep=sweep.id)
    asked(app, f"stop.{sweep.id}").click().run()
    assert not app.exception and sweep.states == {"done": 1, "stopping": 1, "stopped": 1}
    assert [toast.value for toast in app.toast] == ["1 run was removed from the queue, 1 run is being stopped."]
    assert f"stop.{sweep.id}" not in [button.key for button in app.button]


def test_lines_run_along_numbers(runs, monkeypatch):
    """Neither a switch nor a single value is an axis to draw a line along."""
    for over in (
        {"training.learning_rate": [1e-5, 1e-4], "training.dedup_batch": [False, True]},
        {"training.learning_rate": [1e-5, 1e-4], "temperature": [0.05]},
    ):
        sweep = api.grid(over=over, seeds=1, steps=2)
        for number, cell in enumerate(sweep.cells):
            finish(sweep.runs[cell.key], 0.7 + 0.01 * number)
        drawn = []
        monkeypatch.setattr(sweeps, "show", lambda figure, drawn=drawn, **_: drawn.append(figure))
        app = open_page("compare", compare="sweeps", sweep=sweep.id, drawn="line")
        assert not app.exception
        assert drawn[-1].layout.xaxis.title.text == "learning rate"
        names = [trace.name for trace in drawn[-1].data if "lines" in trace.mode]
        assert len(names) == len(list(over.values())[1]) and not any("learning" in name for name in names)


def test_whatever_has_ended_is_counted(runs, answers):
    sweep = api.grid(over={"temperature": [0.03, 0.05]}, seeds=2, steps=2)
    done, failed, *_ = sweep.runs.values()
    finish(done, 0.7)
    events.add(failed.folder, "starting")
    events.add(failed.folder, "failed", kind="Diverged", message="The loss is no number.")
    app = open_page("compare", compare="sweeps", sweep=sweep.id)
    bars = " ".join(element.proto.text for element in app.get("progress"))
    assert "2 of 4 runs have ended" in bars and "1 failed" in bars and "2 queued" in bars


def test_a_leader_with_fewer_seeds_leaves_no_setting_best(runs, answers):
    sweep = api.grid(over={"temperature": [0.03, 0.05]}, seeds=3, steps=2)
    for cell in sweep.cells:
        ahead = cell.axes["temperature"] == 0.05
        if not (ahead and cell.seed == 2):
            finish(sweep.runs[cell.key], (0.6 if ahead else 0.5) + 0.001 * cell.seed)
    said = words_of(open_page("compare", compare="sweeps", sweep=sweep.id))
    assert "So far, of the settings with all 3 seeds, temperature 0.03 leads" in said
    assert "leads so far</td>" in said and ">best</td>" not in said and 'class="best"' not in said


def test_one_seed_marks_none_as_best(runs, answers):
    sweep = api.grid(over={"temperature": [0.03, 0.05]}, seeds=1, steps=2)
    for number, cell in enumerate(sweep.cells):
        finish(sweep.runs[cell.key], 0.5 + 0.1 * number)
    said = words_of(open_page("compare", compare="sweeps", sweep=sweep.id))
    assert ">best</td>" not in said and 'class="best"' not in said and "One seed cannot distinguish" in said
