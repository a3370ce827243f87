"""The whole-corpus tab and the blind one, with answers that are there at once."""

import numpy as np
import pandas
import pytest
from streamlit.testing.v1 import AppTest

from workbench import api
from workbench.core.presets import JUDGED
from workbench.previews import judging, scan_lines
from workbench.previews.corpus_scan import COLUMNS
from workbench.previews.scan_measures import EXTREME, MEASURED
from workbench.store import names


class Told:
    def __init__(self, key, answer):
        self.key, self.answer = key, answer
        self.runs = str(id(self))

    def poll(self, *, load=True):
        return self.answer

    def cancel(self):
        self.answer = api.Answer("cancelled")


def scan_answer(lines, n=2000):
    rng = np.random.default_rng(0)
    rows, extremes = [], []
    for place, line in enumerate(lines):
        row = {**scan_lines.about_pipeline(line), "absent": scan_lines.absent(line)}
        row["perturbed"] = scan_lines.SHARE_OF[row["acts_on"]]
        if not row["absent"]:
            row |= dict.fromkeys(MEASURED, 0.5 + place / 100) | {"n": n, "n_changed": n // 2, "acted": 0.0}
            inside = row["acts_on"] != "texts"
            row |= dict.fromkeys(("duplicates", "acted", "texts_per_second") if inside else ("size",), np.nan)
            for end, rank in [("least", 1), ("least", 2), ("most", 1)]:
                before, after = "<b>a</b> red cat", "<b>a</b> red cat" if inside else "a <i>blue</i> cat"
                note = "1 of 5 tokens zeroed: “<u>red”" if inside else ""
                extremes.append((line, end, rank, before, after, note, rng.random(), 0.4))
        rows.append(row)
    spread = {"n": 500, "mean": 0.97, "low": 0.96, "high": 0.98, "q05": 0.95, "q50": 0.97, "q95": 0.98, "rate": 0.1}
    about = {"corpus": "demo", "texts": 4663, "n": n, "seed": 0, "strata": "genre", "genres": 5, "protected": False}
    about |= {"references": {"dropout": spread, "random": {**spread, "mean": 0.5, "q05": 0.4, "q95": 0.6}}}
    about |= {"target": "minilm-l3", "precision": "fp32", "max_length": 256}
    table = pandas.DataFrame(rows, columns=COLUMNS)
    return {"table": table, "extremes": pandas.DataFrame(extremes, columns=EXTREME), "about": about}


def cost_answer(lines, seconds):
    table = pandas.DataFrame(
        {"pipeline": lines, "title": lines, "model": False, "seconds": seconds / len(lines), "changed": 1.0}
    ).assign(prepare_seconds=0.1, seconds_each=0.1, bytes_each=60.0, full_seconds=9.0, full_bytes=6e4)
    table["absent"] = [scan_lines.absent(line) for line in lines]
    about = {"corpus": "demo", "texts": 4663, "n": 2000, "tried": 50, "seconds": seconds}
    return {"table": table, "about": {**about, "full_seconds": 900.0, "full_bytes": 1e7}}


def pairs_answer(lines, count):
    rows = [
        (judging.pair_id(line, f"before <b>{n}</b>", f"after {n}"), line, scan_lines.about_pipeline(line)["title"], n)
        for n in range(count)
        for line in lines
    ]
    table = pandas.DataFrame(rows, columns=["pair", "pipeline", "title", "n"])
    table["before"], table["text"] = [f"before <b>{n}</b>" for n in table["n"]], [f"after {n}" for n in table["n"]]
    return table.assign(cosine=0.9, tried=count).drop(columns="n")


@pytest.fixture
def answers(monkeypatch, tmp_path):
    """Questions that were asked; `seconds` is the estimate, `states` what a verb's answer is if it is not done."""
    monkeypatch.setenv("WORKBENCH_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("WORKBENCH_PROCESSES", "off")

    class Asked(list):
        def __init__(self):
            super().__init__()
            self.seconds, self.states = 5.0, {}

    asked = Asked()
    tickets = {}

    def submit(verb, *, session="", slot="", runs=None, **said):
        asked.append((verb, said))
        lines = scan_lines.check_pipelines(said["pipelines"])
        made = {
            "scan": lambda: scan_answer(lines),
            "cost": lambda: cost_answer(lines, asked.seconds),
            "drawn_pairs": lambda: pairs_answer(lines, 3),
        }
        state = asked.states.get(verb, "done")
        answer = api.Answer(state, 0.3, error="The model is <gone>.", note="Swap words: drawing")
        if state == "done":
            answer = api.Answer("done", 1.0, made[verb]())
        if verb not in tickets or tickets[verb].answer.state in ("cancelled", "failed", "done"):
            tickets[verb] = Told(f"{verb} {said}", answer)
        return tickets[verb]

    monkeypatch.setattr(api, "submit", submit)
    asked.tickets = tickets
    return asked


def open_tab(name, **address):
    def page(name):
        from workbench.ui import augment

        augment.scan_tab() if name == "scan" else augment.judge_tab()

    app = AppTest.from_function(page, default_timeout=30, args=(name,))
    for key, value in address.items():
        app.query_params[key] = value
    return app.run()


def words_of(app):
    return " ".join(element.proto.body for element in app.get("html"))


def verbs(asked):
    return [verb for verb, _ in asked]


class TestScanTab:
    def test_a_short_scan_needs_no_click(self, answers):
        app = open_tab("scan")
        assert not app.exception and not app.error
        assert verbs(answers) == ["cost", "scan"]
        asked = answers[-1][1]
        assert (
            asked["pipelines"] == [*scan_lines.default_pipelines(), *scan_lines.inside_lines()]
            and asked["n"] == 2000
            and asked["corpus"] == "demo"
        )
        table = app.dataframe[0].value
        assert len(table) == len(asked["pipelines"]) and {"similarity kept", "changed, %", "95 %"} <= set(table)
        said = words_of(app)
        assert "moves the texts it changes most" in said and "Least similar" in said
        assert "Inside the encoder" in said and "gradient of the unsupervised SimCSE loss" in said
        assert len(app.get("plotly_chart")) == 2
        assert "<b>a</b>" not in said and "&lt;b&gt;" in said
        assert "api.scan('demo'" in app.code[0].value

    def test_a_long_one_says_how_long_and_waits_for_a_click(self, answers):
        answers.seconds = 600.0
        app = open_tab("scan")
        assert verbs(answers) == ["cost"]
        assert "10 min 0 s" in words_of(app) and "10.0 MB" in words_of(app)
        app.button(key="scan.start").click().run()
        assert not app.exception and "scan" in verbs(answers) and app.dataframe

    def test_it_can_be_stopped_and_does_not_restart_by_itself(self, answers):
        answers.states = {"scan": "running"}
        app = open_tab("scan")
        assert "partial results are kept" in words_of(app)
        ticket, asked = answers.tickets["scan"], verbs(answers).count("scan")
        app.button(key="scan.stop").click().run()
        assert ticket.answer.state == "cancelled"
        assert verbs(answers).count("scan") <= asked + 1 and app.button(key="scan.start")
        answers.states = {}
        app.button(key="scan.start").click().run()
        assert app.dataframe

    def test_an_error_is_shown_once(self, answers):
        answers.states = {"cost": "failed"}
        app = open_tab("scan")
        assert not app.exception and len(app.error) == 1 and r"\<gone\>" in app.error[0].value

    def test_absent_ones_are_named_with_what_they_need(self, answers):
        app = open_tab("scan", **{"scan.pipelines": ["paraphrase_t5", "eda_swap"]})
        said = words_of(app)
        assert "was skipped. It needs Vamsi/T5_Paraphrase_Paws" in said
        assert len(app.dataframe[0].value) == 1

    def test_only_absent_ones_or_none_at_all(self, answers):
        app = open_tab("scan", **{"scan.pipelines": ["paraphrase_t5"]})
        assert not app.exception and "is available on this machine" in words_of(app)
        app = open_tab("scan", **{"scan.pipelines": ["eda_swap"]})
        app.multiselect(key="scan.pipelines").set_value([]).run()
        assert not app.exception and "No augmentations chosen" in words_of(app)

    def test_a_pipeline_that_cannot_be_read_is_one_message(self, answers):
        app = open_tab("scan", **{"scan.pipelines": ["eda_swop(rate="]})
        assert not app.exception and len(app.error) == 1

    def test_texts_alone_or_none_at_all_have_one_plane_and_their_columns(self, answers):
        app = open_tab("scan", **{"scan.pipelines": ["eda_swap"]})
        assert len(app.get("plotly_chart")) == 1 and "size, %" not in app.dataframe[0].value
        app = open_tab("scan", **{"scan.pipelines": ["token_cutoff", "dropout(rate=0.3)"]})
        table = app.dataframe[0].value
        assert not app.exception and len(app.get("plotly_chart")) == 1
        assert {"size, %", "of"} <= set(table) and not {"duplicates, %", "texts / s"} & set(table)
        assert table["acts on"].tolist() == ["token states", "every layer"]

    def test_a_change_inside_the_encoder_is_described(self, answers):
        said = words_of(open_tab("scan", **{"scan.pipelines": ["token_cutoff"]}))
        assert "1 of 5 tokens zeroed: “&lt;u&gt;red”" in said and "&lt;b&gt;a&lt;/b&gt; red cat" in said
        assert "removed" not in said

    def test_examples_follow_the_choice(self, answers):
        app = open_tab("scan", **{"scan.pipelines": ["eda_swap", "eda_delete"]})
        shown = app.selectbox(key="scan.shown")
        shown.set_value(next(line for line in shown.options if "Delete" in line)).run()
        assert not app.exception


class TestJudgeTab:
    def test_only_text_augmentations_are_offered(self, answers):
        assert "Token cutoff (token states)" in open_tab("scan").multiselect(key="scan.pipelines").options
        options = open_tab("judge").multiselect(key="judge.pipelines").options
        assert "Swap words" in options and not any("token states" in option for option in options)

    def test_a_name_is_asked_for_first(self, answers):
        app = open_tab("judge")
        assert not app.exception and "Who judges?" in words_of(app) and not answers

    def test_a_judgement_is_saved_and_the_next_pair_shown(self, answers):
        app = open_tab("judge", **{"judge.name": "Ann"})
        assert not app.exception and not app.error
        assert "before &lt;b&gt;0" in words_of(app)
        for verdict in ("same", "changed", "broken"):
            app.button(key=f"judge.{verdict}").click().run()
        assert api.judgements()["verdict"].tolist() == ["same", "changed", "broken"]
        app.button(key="judge.undo").click().run()
        assert api.judgements()["verdict"].tolist() == ["same", "changed"]
        again = open_tab("judge", **{"judge.name": "Ann"})  # another session, as after a reload
        progress = [element.proto.text for element in again.get("progress")]
        assert progress == [f"2 of {3 * len(JUDGED)} pairs judged"]

    def test_the_augmentation_is_hidden_until_results_are_asked_for(self, answers):
        app = open_tab("judge", **{"judge.name": "Ann"})
        app.button(key="judge.same").click().run()
        assert "Swap words" not in words_of(app) and "<ins" not in words_of(app)
        app.toggle(key="judge.reveal").set_value(True).run()
        said = words_of(app)
        assert not app.exception and "Swap words" in said and "100 %" in said and "21 to 100" in said

    def test_results_appear_after_the_last_pair(self, answers):
        address = {"judge.name": "Ann", "judge.pipelines": ["eda_swap", "eda_delete"]}
        for name, verdict in [("Ben", "same"), ("Ann", "changed")]:
            for pair in pairs_answer(scan_lines.check_pipelines(["eda_swap", "eda_delete"]), 3).to_dict("records"):
                api.judge(name, pair, "same" if pair["before"].endswith("0</b>") else verdict)
        app = open_tab("judge", **address)
        said = words_of(app)
        assert not app.exception and "All pairs are judged" in said
        assert "Ann and Ben agree on 33 % of 6 pairs in common" in said and "kappa 0.00" in said
        assert app.selectbox(key="judge.whose").value == "Ann"
        app.button(key="judge.undo").click().run()
        assert app.button(key="judge.same") and len(api.judgements()) == 11

    def test_marks_are_shown_only_when_wanted(self, answers):
        app = open_tab("judge", **{"judge.name": "Ann"})
        app.toggle(key="judge.marked").set_value(True).run()
        assert not app.exception and "after" in words_of(app) and "legend" not in app.error

    def test_a_hostile_name_stays_a_name(self, answers):
        app = open_tab("judge", **{"judge.name": "../<b>x"})
        app.button(key="judge.same").click().run()
        assert not app.exception and not app.error
        (path,) = names.runs_folder().judgements.iterdir()
        assert path.parent == names.runs_folder().judgements
