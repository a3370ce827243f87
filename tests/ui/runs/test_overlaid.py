"""The curves of several selected runs on the page Runs."""

import json

import pytest

from tests.pages.test_pretraining import make_pretraining
from tests.pages.trial import open_page, unfolded, words_of
from tests.run_folders import make_run, repeated
from workbench.core.writing import append_line, write_text
from workbench.store import names
from workbench.ui.runs import overlaid


@pytest.fixture
def runs(tmp_path, monkeypatch):
    monkeypatch.setenv("WORKBENCH_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("WORKBENCH_PROCESSES", "off")
    return names.runs_folder()


def drawn(app):
    """The figure of the page, as Plotly gets it."""
    (chart,) = app.get("plotly_chart")
    return json.loads(chart.proto.spec)


def test_a_run_with_a_seed_that_is_in_the_band_is_told_and_not_counted(runs):
    first, other = make_run(runs, 0), make_run(runs, 1)
    twin = repeated(first, "20260101-000009-simcse-unsup-minilm-l3-s0-0009")
    app = open_page("runs", selected=[first.id, other.id, twin.id])
    assert not app.exception
    named = {trace["name"] for trace in drawn(app)["data"] if "name" in trace}
    assert named == {"simcse-unsup-minilm-l3-s0-0009 · mean of 2 seeds"}
    told = (
        "Not counted as a further seed, since a run with the same settings and seed is: simcse-unsup-minilm-l3-s0-0000."
    )
    assert told in words_of(app)
    app.toggle(key="band").set_value(False).run()
    assert "Not counted" not in words_of(app) and len({trace["name"] for trace in drawn(app)["data"]}) == 3


def test_seeds_are_a_band_which_can_be_taken_apart(runs):
    selected = [make_run(runs, number).id for number in range(2)] + [make_run(runs, 2, steps=40).id]
    app = open_page("runs", selected=selected)
    assert not app.exception
    figure = drawn(app)
    assert {trace["name"] for trace in figure["data"] if "name" in trace} == {
        "simcse-unsup-minilm-l3-s1-0001 · mean of 2 seeds",
        "simcse-unsup-minilm-l3-s2-0002",
    }
    assert any(trace.get("fill") == "toself" for trace in figure["data"])
    assert "from the lowest to the highest seed" in words_of(app)
    app.toggle(key="band").set_value(False).run()
    assert len({trace["name"] for trace in drawn(app)["data"]}) == 3 and "One line for each run" in words_of(app)


def test_what_is_drawn_is_part_of_the_address(runs):
    selected = [make_run(runs, number, steps=20 + 20 * number).id for number in range(2)]
    app = open_page("runs", selected=selected, curves=["accuracy"], by="seconds")
    figure = drawn(app)
    assert figure["layout"]["xaxis"]["title"]["text"].startswith("seconds in training steps")
    assert [title["text"] for title in figure["layout"]["annotations"]] == ["In-batch accuracy"]


def test_no_more_lines_are_drawn_than_can_be_told_apart(runs, monkeypatch):
    monkeypatch.setattr(overlaid, "MOST_LINES", 2)
    selected = [make_run(runs, number, steps=20 + 20 * number).id for number in range(3)]
    app = open_page("runs", selected=selected, curves=["loss"])
    names_ = [trace["name"] for trace in drawn(app)["data"]]
    assert names_ == ["simcse-unsup-minilm-l3-s2-0002", "simcse-unsup-minilm-l3-s1-0001"]
    assert "The first 2 of 3 lines are drawn" in words_of(app)


def test_runs_that_have_not_begun_have_no_curves(runs):
    selected = []
    for number in range(2):
        run = make_run(runs, number, state="queued")
        for name in (names.STEPS, names.PROBES):
            (run.folder / name).unlink()
        selected.append(run.id)
    assert "None of these runs has taken a step yet" in words_of(open_page("runs", selected=selected))
    alone = unfolded(open_page("runs", run=selected[0]), f"all.{selected[0]}")
    assert "This run has not taken a step yet" in words_of(alone)


def test_one_run_shows_every_figure_that_its_objectives_log(runs):
    run = make_run(runs)
    write_text(run.folder / names.STEPS, "")
    for step in range(1, 21):
        losses = {"0.infonce_nn": 1.0, "0.infonce_nn.dropped": 0.3}
        append_line(run.folder / names.STEPS, {"step": step, "loss": 1.0, "losses": losses, "learning_rate": 1e-5})
    app = unfolded(open_page("runs", run=run.id, curves=["infonce_nn.dropped", "learning_rate"]), f"all.{run.id}")
    assert not app.exception
    assert app.multiselect(key="curves").value == ["infonce_nn.dropped", "learning_rate"]
    figure = json.loads(app.get("plotly_chart")[-1].proto.spec)
    assert [title["text"] for title in figure["layout"]["annotations"]] == ["infonce_nn: dropped", "Learning rate"]
    assert "One line for each run" not in words_of(app)


@pytest.mark.parametrize(
    ("asked", "drawn"),
    [(["loss", "nonsense"], ["loss"]), (["nonsense"], ["loss", "spearman", "uniformity", "mean_cosine"])],
)
def test_no_curve_can_be_chosen_that_no_run_has(runs, asked, drawn):
    selected = [make_run(runs, 0).id, make_run(runs, 1).id]
    box = open_page("runs", selected=selected, curves=asked).multiselect(key="curves")
    assert box.value == drawn and not box.proto.accept_new_options


def test_the_curves_of_a_fine_tune_do_not_choose_those_of_a_pretraining(runs, framed):
    run, pretraining = make_run(runs), make_pretraining(runs)
    app = unfolded(open_page("runs", run=run.id), f"all.{run.id}")
    assert app.multiselect(key="curves").value[:2] == ["loss", "spearman"]
    app.multiselect(key="curves").set_value(["spearman", "loss"]).run()
    app.query_params.clear()
    app.selectbox(key="run").set_value(pretraining.id).run()
    app = unfolded(app, f"all.{pretraining.id}")
    assert not app.exception and "masked_loss" in app.multiselect(key="curves.pretraining").value


def test_curves_can_be_averaged_over_steps_where_there_are_enough(runs):
    selected = [make_run(runs, 0, steps=120).id, make_run(runs, 1, steps=15).id]
    app = open_page("runs", selected=selected, curves=["loss", "spearman"])
    assert app.segmented_control(key="window").options == ["Off", "10", "50"]
    before = len(drawn(app)["data"])
    assert "means of up to" not in words_of(app)
    app.segmented_control(key="window").set_value("50").run()
    assert not app.exception
    assert len(drawn(app)["data"]) == before + 2, "a faint line for the loss of each; probes have none"
    assert "means of up to 50 steps" in words_of(app) and "50" in app.query_params["window"]
    few = open_page("runs", selected=[make_run(runs, 2, steps=15).id, selected[1]])
    assert not [control for control in few.segmented_control if control.key == "window"]
