"""What the page Runs says of each run, and lets one do."""

import json
import os
import time
import tomllib
from dataclasses import replace
from pathlib import Path

import pandas
import pytest

import workbench
from tests.pages.trial import open_page, unfolded, words_of
from tests.run_folders import make_run
from workbench import api
from workbench.core.config import to_toml
from workbench.core.writing import append_line, write_json, write_text
from workbench.processes import liveness
from workbench.scheduler.queue import Queue
from workbench.store import events, names
from workbench.store.elsewhere import python_lines
from workbench.store.evaluations import SCORES
from workbench.store.listed import forget
from workbench.store.run import Run
from workbench.ui.runs import files, listing, tagging
from workbench.ui.runs.panel import meaning


@pytest.mark.parametrize(
    ("state", "word"),
    [
        ("done", "finished"),
        ("failed", "no longer a number"),
        ("running", "not running"),
        ("queued", "it starts as soon as a device is free"),
    ],
)
def test_states_are_in_plain_words(runs, answers, state, word):
    make_run(runs, state=state)  # nobody works on it: what claims to run is lost
    app = open_page("runs")
    assert not app.exception
    assert word in words_of(app) + " ".join(error.value for error in app.error)


def test_the_table_copes_with_missing_values(runs, answers):
    make_run(runs, name="a *name*")
    table = open_page("runs").dataframe[0].value
    assert table["state"].tolist() == ["● done"]
    assert table["dev"].tolist() == pytest.approx([52.0])
    assert table["run"].tolist() == ["a *name* (0000)"]


@pytest.mark.parametrize(("verb", "state"), [("stop", "queued"), ("resume", "stopped")])
def test_a_button_asks_at_once_for_what_its_state_allows(verb, state, runs, answers, monkeypatch):
    run = make_run(runs, state=state)
    asked = []
    monkeypatch.setattr(api, verb, lambda run, **_: asked.append(run.id))
    app = open_page("runs")
    app.button(key=f"{verb}.{run.id}").click().run()
    assert asked == [run.id]


def test_a_deletion_says_what_is_gone_and_how_much_space_it_freed(runs, answers):
    run = make_run(runs, name="spare")
    (run.folder / "ballast").write_bytes(b"x" * 1_500_000)
    app = unfolded(open_page("runs"), f"files.{run.id}")
    app.button(key=f"deletes.{run.id}").click().run()
    assert not run.folder.exists()
    assert "No runs yet" in words_of(app)
    (done,) = app.success
    assert "spare" in done.value and "1.5\u00a0MB" in done.value
    assert not app.run().success, "it is said once"


def test_a_live_run_cannot_be_deleted(runs, answers):
    run = make_run(runs, state="queued")
    app = open_page("runs", selected=[run.id, make_run(runs, 1).id])
    assert not [button for button in app.button if button.key.startswith("deletes.")]
    assert "waiting or running" in " ".join(element.value for element in app.markdown)


def test_a_link_to_a_run_that_is_not_here_says_so(runs, answers):
    make_run(runs)
    app = open_page("runs", run="20990101-000000-gone")
    assert not app.exception
    said = [one.value for one in app.warning]
    assert len(said) == 1 and "no “20990101-000000-gone” here" in said[0] and "on another machine" in said[0]
    assert "There is no run" not in words_of(app)
    assert [one.value for one in app.run().warning] == said


def test_a_run_that_was_deleted_here_is_not_called_missing(runs, answers):
    kept, run = make_run(runs), make_run(runs, 1)
    app = unfolded(open_page("runs", run=run.id), f"files.{run.id}")
    app.button(key=f"deletes.{run.id}").click().run()
    assert not run.folder.exists() and app.selectbox(key="run").value == kept.id
    assert not app.warning and "There is no run" not in words_of(app)


def lost(runs, number=0, *, message="", seconds_ago=7200.0):
    """A run whose process died after ten steps, a minute each, two hours ago."""
    run = make_run(runs, number, state="queued")
    (run.folder / names.EVENTS).unlink()
    (run.folder / names.STEPS).unlink()
    began = time.time() - seconds_ago
    who = {"pid": 1, "born": "x", "machine": "y"}
    for event, late in (("queued", -3600), ("starting", 0), ("running", 5)):
        append_line(run.folder / names.EVENTS, {"event": event, "time": began + late, "who": who})
    for step in range(1, 11):
        append_line(run.folder / names.STEPS, {"step": step, "time": began + 60 * step, "loss": 1.0})
    if message:
        events.add(run.folder, events.LOST, message=message)
    return Run(run.folder)


def test_a_run_whose_cluster_is_gone_is_resumed_on_this_machine(runs, answers, monkeypatch):
    monkeypatch.setenv("WORKBENCH_PROCESSES", "off")
    run = make_run(runs, state="failed")
    events.add(run.folder, events.QUEUED, on="hpc")
    events.add(run.folder, events.FAILED, kind="UnknownName", message="The run was sent to the cluster hpc.")
    button = open_page("runs").button(key=f"resume.{run.id}")
    assert button.label == "Resume on this machine"
    button.click().run()
    assert run.state == "queued" and run.recorded_status.on == ""


@pytest.mark.parametrize("message", ["", "Its process was killed (SIGKILL)."])
def test_a_lost_run_says_why_and_worked_until_its_last_sign_of_life(message, runs, answers):
    run = lost(runs, message=message)
    app = open_page("runs")
    assert run.seconds == pytest.approx(600) and "10 min 0 s" in words_of(app)
    assert [error.value for error in app.error if (message or "was killed").split(" (")[0] in error.value]


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ("stopped", "Taken out of the queue before it started."),
        ("failed", "Its process ended before it could report why."),
    ],
)
def test_the_reason_why_a_run_ended_is_shown(state, message, runs, answers):
    run = make_run(runs, state="queued")
    events.add(run.folder, state, message=message)
    app = open_page("runs")
    assert message in words_of(app) + " ".join(error.value for error in app.error)
    assert "no checkpoint yet, so Resume starts it from the beginning" in words_of(app)


def test_the_usable_checkpoint_is_named():
    assert "continues from its last checkpoint" in meaning("stopped", {"step0": {}, "best": {}, "last": {}})
    assert "Its best checkpoint can be used" in meaning("lost", {"step0": {}, "best": {}})
    assert "no checkpoint" in meaning("failed", {"step0": {}})
    assert "heckpoint" not in meaning("done", {"last": {}})


def test_a_queued_run_can_be_removed_before_it_starts(runs, answers):
    run = make_run(runs, state="queued")
    app = open_page("runs")
    assert app.button(key=f"stop.{run.id}").label == "Remove from the queue"
    table = app.dataframe[0].value
    assert table["started"].isna().all() and Run(run.folder).started is None
    assert '<div class="name">Time</div><div class="value">–</div>' in words_of(app)


def test_columns_sort_as_numbers_and_times(runs, answers):
    first, second = make_run(runs, 0), make_run(runs, 9, steps=100)
    for run, seconds in ((first, 100.0), (second, 5000.0)):
        text = (run.folder / names.EVENTS).read_text().splitlines()
        (run.folder / names.EVENTS).write_text("")
        for line, event in zip(text, ("queued", "starting", "running", "done"), strict=True):
            assert event in line
            append_line(run.folder / names.EVENTS, {"event": event, "time": seconds + (event != "queued")})
    damaged = runs.path / "20260101-000010-damaged-run"
    damaged.mkdir()
    events.add(damaged, "queued")
    table = listing.runs_table(api.runs())
    for name in ("started", "progress", "step", "steps", "time left", "dev", "seed", "size"):
        assert pandas.api.types.is_numeric_dtype(table[name]) or table[name].dtype.kind in "mM", name
    known = table[table["seed"].notna()].sort_values("step")
    assert known["step"].tolist() == [20, 100] and known["seed"].tolist() == [0, 9]
    assert known["started"].map(pandas.Timestamp.timestamp).tolist() == [101, 5001], "the start, not the queueing"
    row = table[table["seed"].isna()].iloc[0]
    assert row["state"] == "? damaged" and pandas.isna(row["dev"]) and pandas.isna(row["backbone"])


def test_an_ended_run_is_summarised_once(runs, monkeypatch):
    ended, live = make_run(runs, 0, state="stopped"), make_run(runs, 1, state="queued")
    measured = []
    whole = Run.size_bytes.fget
    monkeypatch.setattr(Run, "size_bytes", property(lambda run: measured.append(run.id) or whole(run)))
    before = listing.runs_table(api.runs())
    pandas.testing.assert_frame_equal(listing.runs_table(api.runs()), before)
    assert measured.count(ended.id) == 1 and measured.count(live.id) == 2
    events.add(ended.folder, "queued")
    assert listing.runs_table(api.runs())["state"].tolist() == ["◌ queued"] * 2


def test_a_thousand_runs_are_drawn_again_quickly(runs):
    run = make_run(runs)
    for number in range(1, 1000):
        folder = runs.path / f"20260101-{number:06d}-simcse-unsup-minilm-l3-s0-{number:04d}"
        folder.mkdir()
        for file in (names.CONFIG, names.EVENTS, names.STEPS, names.PROBES):
            os.link(run.folder / file, folder / file)
    listing.runs_table(api.runs())
    began = time.process_time()
    assert len(listing.runs_table(api.runs())) == 1000
    assert time.process_time() - began < 1


def test_the_table_polls_and_reruns_the_page_when_a_run_appears_or_ends(runs, monkeypatch):
    run = make_run(runs, 0, state="queued")
    parts, paces, drawn, again = [], [], [], []
    monkeypatch.setattr(listing.st, "fragment", lambda run_every: paces.append(run_every) or parts.append)
    monkeypatch.setattr(listing, "_table", drawn.append)
    monkeypatch.setattr(listing.st, "rerun", lambda: again.append(True))

    def looked():
        """Whether the part of the page, called as often as one likes, asked for the whole page."""
        again.clear()
        parts[-1]()
        return bool(again)

    def opened():
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(listing.st, "fragment", lambda run_every: lambda part: parts.append(part) or part)
            listing.live_table(api.runs())

    opened()
    assert drawn and not looked()
    make_run(runs, 1, state="queued")
    assert looked(), "queued elsewhere"
    opened()
    assert not looked()
    for number in (0, 1):
        events.add(api.runs()[number].folder, events.STOPPED)
    assert looked(), "nothing is live any more"
    assert run.state == "stopped"


@pytest.mark.parametrize("damaged", [[[]], "", 0, "stsb:dev"])
def test_a_probe_whose_pairs_are_damaged_is_left_out_of_the_plane(runs, answers, damaged):
    run = make_run(runs)
    first, *rest = map(json.loads, (run.folder / names.PROBES).read_text().splitlines())
    write_text(
        run.folder / names.PROBES,
        "".join(json.dumps(row) + "\n" for row in ({**first, "alignment_on": damaged}, *rest)),
    )
    app = open_page("runs", run=run.id)
    assert not app.exception
    assert "Texts lie more evenly than at step 10" in words_of(app)


def test_a_run_without_probe_pairs_names_none(runs, answers):
    run = make_run(runs)
    write_text(
        run.folder / names.CONFIG, to_toml(api.settle(steps=20, **{"probe.pairs": "", "selection.metric": "none"}))
    )
    assert "of the probes on" not in words_of(open_page("runs"))


def test_an_archive_on_this_machine_is_imported_by_its_path_where_files_may_be_read(runs, answers, tmp_path):
    gone, left = make_run(runs), make_run(runs, 1)
    within, outside = (api.export_run(gone, folder / "one.zip") for folder in (runs.path, tmp_path))
    api.delete(gone, gone.id, runs=runs.path)
    app = open_page("runs")
    for path, there, said in (
        ("", {left.id}, "nothing to import"),
        (outside, {left.id}, "may not be read"),
        (within, {left.id, gone.id}, ""),
    ):
        app.text_input(key="archive").set_value(str(path)).run()
        app.button(key="archive.import").click().run()
        assert {run.id for run in api.runs(runs.path)} == there
        assert said in " ".join(error.value for error in app.error)
    assert app.selectbox(key="run").value == gone.id


def test_a_path_beside_an_upload_is_not_passed_over(runs, answers):
    run = make_run(runs)
    archive = api.export_run(run, runs.path / "one.zip")
    api.delete(run, run.id, runs=runs.path)
    app = open_page("runs")
    app.file_uploader(key="archive.upload.0").set_value(("other.zip", archive.read_bytes(), "application/zip"))
    app.text_input(key="archive").set_value(str(archive)).run()
    app.button(key="archive.import").click().run()
    assert not app.exception and "A file, other.zip, and a path are both given" in app.error[0].value
    assert not api.runs(runs.path)
    app.text_input(key="archive").set_value("").run()
    app.button(key="archive.import").click().run()
    assert not app.error and [run.id for run in api.runs(runs.path)] == [run.id]
    app.button(key="archive.import").click().run()
    assert "nothing to import yet" in app.error[0].value, "what was imported is held no longer"


def test_the_server_takes_what_the_field_for_archives_says():
    server = tomllib.loads(
        (Path(workbench.__file__).parents[1] / ".streamlit" / "config.toml").read_text(encoding="utf-8")
    )["server"]
    assert server["maxUploadSize"] == files._UPLOAD_MB


def test_an_archive_is_offered_while_it_matches_the_run(runs, answers, monkeypatch):
    run = make_run(runs)
    read = []
    monkeypatch.setattr(files, "_opened", read.append)
    app = unfolded(open_page("runs"), f"files.{run.id}")

    def offered(app):
        return [one.proto.label for one in app.get("download_button") if one.proto.label.startswith("Download")]

    assert not offered(app) and "has paths of this account in it" in words_of(app)
    app.button(key=f"export.{run.id}").click().run()
    assert len(offered(app)) == 1 and not app.exception and not read, "it is read when somebody takes it"
    events.add(run.folder, "notice", message="It went on.")
    assert not offered(app.run())


@pytest.mark.parametrize(("pooling", "place"), [("mean", names.MODEL), ("static", names.BACKBONE)])
def test_the_page_says_where_the_model_is_and_how_others_load_it(pooling, place, runs, answers):
    run = make_run(runs, eval_pooling=pooling)
    app = unfolded(open_page("runs"), f"files.{run.id}")
    assert "There is no model for other programs" in words_of(app)
    (run.folder / place).mkdir()
    lines = [one.value for one in app.run().code]
    folder = str(run.folder / place)
    assert folder in lines and python_lines(run.config, folder) in lines and f"hf upload ORG/NAME {folder}" in lines
    assert (f"target=&#x27;{run.id}&#x27;" in words_of(app)) == (pooling == "static")
    assert not app.exception


def test_the_files_are_not_counted_before_anyone_asks(runs, answers, monkeypatch):
    run = make_run(runs)
    app = open_page("runs")
    monkeypatch.setattr(Run, "size_bytes", property(lambda run: 1 / 0))
    assert not app.run().exception
    assert unfolded(app, f"files.{run.id}").exception


def test_a_running_run_can_be_stopped_and_says_its_time(runs, answers):
    run = make_run(runs, state="queued")
    for event in ("starting", "running"):
        events.add(run.folder, event, who=liveness.identity())
    run.heartbeat.parent.mkdir(parents=True)
    run.heartbeat.touch()
    app = open_page("runs")
    assert app.button(key=f"stop.{run.id}").label == "Stop and keep the checkpoint"
    assert app.dataframe[0].value["started"].notna().all()
    assert 'data-says="Training."' in words_of(app)
    run.heartbeat.write_text('{"note": "Evaluating step 0", "share": 0.5}')
    words = words_of(app.run())
    assert "Evaluating step 0." in words and "Training." not in words
    events.add(run.folder, "stopping")
    assert "It is stopping; its progress will be saved." in words_of(app.run())


def test_a_stop_before_step_0_was_measured_promises_no_checkpoint(runs, answers):
    run = make_run(runs, state="queued", steps=1)
    for event in ("starting", "running"):
        events.add(run.folder, event, who=liveness.identity())
    run.heartbeat.parent.mkdir(parents=True)
    run.heartbeat.touch()
    app = open_page("runs")
    assert app.button(key=f"stop.{run.id}").label == "Stop"
    events.add(run.folder, "stopping")
    app.run()
    assert "It is stopping." in words_of(app) and "will be saved" not in words_of(app)


def test_a_damaged_run_does_not_break_the_page(runs, answers):
    make_run(runs, 0)
    damaged = make_run(runs, 1)
    write_text(damaged.folder / names.CORPUS, '{"overlap": 5, "warnings": [3], "tokens": "x"}')
    write_text(damaged.folder / names.STEPS, '{"step": 20, "seconds": "x", "time": "y"}\n')
    write_text(damaged.folder / names.PROBES, '{"step": "x"}\n{"step": 20, "spearman": "high", "collapsed": 3}\n')
    for page in ("home", "runs", "train", "compare", "explore"):
        app = open_page(page, run=damaged.id)
        assert not app.exception, page
        if page == "runs":
            state = app.dataframe[0].value.set_index("id")["state"]
            assert "damaged" in state[damaged.id] and sum("damaged" in word for word in state) == 1
            assert any("delete it" in warning.value for warning in app.warning)


def test_the_table_has_recipe_tags_note_and_the_score_on_unused_pairs(runs, answers):
    plain, run = make_run(runs, 0), make_run(runs, 1)
    scores = [{"suite": "pairs", "checkpoint": "best", "pairs": "demo:test", "spearman": 0.4321}]
    write_json(run.folder / names.EVALUATIONS / SCORES, scores)
    api.note(api.tag(run, "paper"), "watch the rate")
    table = listing.runs_table(api.runs()).set_index("id")
    assert table["recipe"].tolist() == ["simcse_unsup"] * 2
    assert table["test"].tolist() == pytest.approx([43.21, float("nan")], nan_ok=True)
    assert table.loc[run.id, "tags"] == ["paper"] and table.loc[run.id, "note"] == "watch the rate"
    assert table.attrs["test"].startswith("demo:test") and "test on" not in table
    for ref, name in [("stsb:test@there", "stsb:test"), ("/there/tickets.tsv", "tickets.tsv")]:
        scores[0]["pairs"] = name
        config = api.settle(steps=20, **{"evaluation.pairs": [ref], "probe.pairs": "demo:dev"})
        write_text(plain.folder / names.CONFIG, to_toml(config))
        write_json(plain.folder / names.EVALUATIONS / SCORES, scores)
        forget(plain)
        table = listing.runs_table(api.runs()).set_index("id")
        assert set(table["test on"]) == {"demo:test", name}, "two sets never share an unnamed column"
        assert table.loc[plain.id, "test"] == pytest.approx(43.21)


def test_a_run_that_was_to_be_evaluated_on_nothing_says_so(runs, answers):
    run = make_run(runs)
    config = replace(run.config, evaluation=replace(run.config.evaluation, pairs=()))
    write_text(run.folder / names.CONFIG, to_toml(config))
    app = open_page("runs", run=run.id)
    assert not app.exception
    assert "No pairs were named for the final evaluation" in words_of(app)


def test_a_filter_looks_for_every_word(runs, answers):
    first, other = make_run(runs, 0, name="Rate doubled"), make_run(runs, 1, state="stopped")
    api.tag(other, "paper")
    assert [run.id for run in api.runs(search="rate DOUBLED")] == [first.id]
    assert [run.id for run in api.runs(search="paper stopped")] == [other.id]
    assert api.runs(search="paper done") == []
    app = open_page("runs", filter="paper")
    assert app.dataframe[0].value["id"].tolist() == [other.id] and "1 of 2 runs" in words_of(app)
    app.text_input(key="filter").set_value("nothing like it").run()
    assert not app.dataframe and "None of 2 runs matches" in words_of(app)


def test_the_list_shows_only_the_settings_that_differ(runs, answers):
    make_run(runs, 0), make_run(runs, 1, steps=40)
    table = open_page("runs", differing="true").dataframe[0].value
    assert table["training.steps"].tolist() == ["40", "20"], "the column steps is taken"
    assert table["seed"].tolist() == ["1", "0"] and "backbone" not in table


def test_several_runs_are_shown_side_by_side(runs, answers):
    first, other, third = make_run(runs, 0), make_run(runs, 1, steps=40), make_run(runs, 2)
    app = open_page("runs", selected=[first.id, other.id])
    assert not app.exception and app.header[0].value == "2 selected runs"
    sheets = [body for body in words_of(app).split("<table>") if "Setting</th>" in body]
    assert "training.steps" in sheets[0] and "training.batch_size" not in sheets[0]
    app.text_input(key="selected.tags").set_value("paper").run()
    app.button(key="selected.tag").click().run()
    assert [Run(run.folder).annotations.tags for run in (first, other, third)] == [("paper",), ("paper",), ()]
    key = f"deletes.{other.id}.{first.id}"
    app.button(key=key).click().run()
    assert [run.id for run in api.runs()] == [third.id] and "freed" in app.success[0].value
    assert not app.query_params.get("selected") and app.selectbox(key="run").value == third.id


def test_a_run_is_put_next_if_others_wait_before_it(runs, answers):
    first, other = (make_run(runs, number, state="queued") for number in range(2))
    Queue(runs).reindex()
    app = open_page("runs", run=other.id)
    assert "Queued, 1 ahead." in words_of(app)
    app.button(key=f"next.{other.id}").click().run()
    assert not app.exception and Queue(runs).waiting() == [other.id, first.id]
    assert "it starts as soon as a device is free" in words_of(app)
    assert f"next.{other.id}" not in [button.key for button in app.button]
    assert app.button(key=f"stop.{other.id}").label == "Remove from the queue"


def test_several_runs_are_stopped_and_resumed(runs, answers):
    first, other, done = (
        make_run(runs, number, state=state) for number, state in enumerate(("queued", "queued", "done"))
    )
    for run in (first, other):
        Queue(runs).add(run.id)
    app = open_page("runs", selected=[first.id, other.id, done.id])
    keys = [button.key for button in app.button]
    assert "selected.stop" in keys and "selected.resume" not in keys
    app.button(key="selected.stop").click().run()
    assert not app.exception and [toast.value for toast in app.toast] == ["2 runs were removed from the queue."]
    assert [run.state for run in (first, other, done)] == ["stopped", "stopped", "done"]
    assert "selected.stop" not in [button.key for button in app.button]
    write_text(other.folder / names.CONFIG, to_toml(api.settle(steps=20, corpus="/etc/hostname")))
    app.button(key="selected.resume").click().run()
    assert [toast.value for toast in app.toast] == ["1 run was queued again."]
    assert "may not be read" in app.error[0].value and not app.exception
    assert (first.state, other.state) == ("queued", "stopped")
    assert not app.run().error, "it is said once"


def test_selected_runs_that_have_ended_well_can_be_neither_stopped_nor_resumed(runs, answers):
    app = open_page("runs", selected=[make_run(runs, number).id for number in range(2)])
    assert not {"selected.stop", "selected.resume"} & {button.key for button in app.button}


def test_a_second_stage_is_deleted_before_its_first(runs, answers):
    first, other = make_run(runs, 0), make_run(runs, 1)
    config = replace(
        other.config, after=first.id, model=replace(other.config.model, backbone=str(first.folder / "model"))
    )
    write_text(other.folder / names.CONFIG, to_toml(config))
    app = open_page("runs", selected=[first.id, other.id])
    app.button(key=f"deletes.{other.id}.{first.id}").click().run()
    assert api.runs() == [] and not app.error


def test_name_tags_and_note_are_written_on_a_run(runs, answers):
    run = make_run(runs, name="before")
    app = unfolded(open_page("runs"), f"annotate.{run.id}")
    app.text_input(key=f"annotate.name.{run.id}").set_value("<b>after</b>")
    app.multiselect(key=f"annotate.tags.{run.id}").set_value(["paper"])
    app.text_area(key=f"annotate.note.{run.id}").set_value("two\nlines")
    next(button for button in app.button if button.label == "Save").click().run()
    assert not app.exception and Run(run.folder).label == "<b>after</b>"
    said = words_of(app)
    assert '<span class="tag">paper</span>' in said and "two<br>lines" in said
    assert app.dataframe[0].value["run"].tolist() == ["<b>after</b> (0000)"]


def test_the_form_writes_on_a_run_only_what_was_changed_in_it(runs, answers):
    run = make_run(runs, name="before")
    api.tag(run, "old", "gone")
    app = unfolded(open_page("runs"), f"annotate.{run.id}")
    api.rename(run, "of another tab")
    api.tag(run, "theirs")
    api.note(run, "their note")
    app.multiselect(key=f"annotate.tags.{run.id}").set_value(["old", "mine"])
    next(button for button in app.button if button.label == "Save").click().run()
    assert not app.exception
    written = Run(run.folder).annotations
    assert written.name == "of another tab" and written.note == "their note"
    assert written.tags == ("mine", "old", "theirs")
    assert app.text_input(key=f"annotate.name.{run.id}").value == "of another tab"
    assert app.multiselect(key=f"annotate.tags.{run.id}").value == ["mine", "old", "theirs"]
    assert app.text_area(key=f"annotate.note.{run.id}").value == "their note"
    app.text_area(key=f"annotate.note.{run.id}").set_value("")
    next(button for button in app.button if button.label == "Save").click().run()
    assert not app.exception and not Run(run.folder).annotations.note


def test_the_tags_of_an_old_run_can_be_edited(runs, answers, monkeypatch):
    old, _ = make_run(runs), make_run(runs, 1)
    api.tag(old, "paper")
    monkeypatch.setattr(tagging, "NEWEST", 1)
    app = unfolded(open_page("runs", run=old.id), f"annotate.{old.id}")
    assert not app.exception and app.multiselect(key=f"annotate.tags.{old.id}").value == ["paper"]


def test_of_very_many_runs_the_newest_are_listed_and_those_asked_for(runs, answers, monkeypatch):
    made = [make_run(runs, number) for number in range(5)]
    live = make_run(runs, 5, state="queued")
    live.folder.rename(runs.path / live.id.replace("20260101", "20250101"))
    Queue(runs).reindex()
    Queue(runs).claim(lambda _, wish: wish)
    monkeypatch.setattr(listing, "NEWEST", 2)

    def ids(app):
        return list(app.dataframe[0].value["id"])

    oldest = live.id.replace("20260101", "20250101")
    app = open_page("runs")
    assert not app.exception and ids(app) == [made[4].id, made[3].id, oldest]
    assert ids(open_page("runs", run=made[1].id)) == [made[4].id, made[3].id, made[1].id, oldest]
    app.toggle(key="all").set_value(True).run()
    assert len(ids(app)) == 6 and "List all 6 runs" in [one.label for one in app.toggle]


def test_the_filter_finds_older_runs_by_their_ids_which_can_then_be_opened(runs, answers, monkeypatch):
    made = [make_run(runs, number) for number in range(6)]
    monkeypatch.setattr(listing, "NEWEST", 2)
    monkeypatch.setattr(listing, "MOST_LISTED", 4)
    app = open_page("runs", filter="-s1- minilm")
    assert list(app.dataframe[0].value["id"]) == [made[1].id] and "1 of 6 runs" in words_of(app)
    assert "List the newest 4 of 6 runs" in [one.label for one in app.toggle]
    app.text_input(key="filter").set_value("simcse").run()
    assert list(app.dataframe[0].value["id"]) == [run.id for run in (made[5], made[4], made[3], made[2])]
    assert "4 of 6 runs. 2 older ones match too: add a word." in words_of(app)
    app.text_input(key="filter").set_value("nothing").run()
    assert "None of 6 runs matches the filter." in words_of(app)
    app.session_state["selected"] = [made[0].id, made[5].id]  # as a click in the table of what was found does
    app.run()
    assert "2 selected runs" in " ".join(one.value for one in app.header)
