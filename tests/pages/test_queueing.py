"""What the page Train queues: settled configurations, whose corpora the compute process has read."""

import uuid
from dataclasses import asdict

import pytest

from tests.pages.trial import open_page, words_of
from workbench import api
from workbench.verbs.training_texts import IdentifiedTexts


class Ticket:
    """A question whose answer is there, or has not come yet."""

    quick, number = True, 1

    def __init__(self, verb, answer):
        self.key, self.runs, self.answer = f"{verb.id}-{uuid.uuid4().hex}", uuid.uuid4().hex, answer

    def poll(self, *, load=True):
        return self.answer

    def cancel(self):
        self.answer = api.Answer("cancelled")


@pytest.fixture
def asked(monkeypatch, runs):
    """Only the texts of a training are answered, once each; whoever reads a corpus in the page's process fails."""

    class Asked(list):
        refusal = ""

    found = Asked()

    def submit(verb, *, session="", slot="", runs=None, **given):
        if verb.id != "training_texts":
            return Ticket(verb, api.Answer("running"))
        found.append(given)
        if found.refusal:
            return Ticket(verb, api.Answer("failed", error=found.refusal, kind="BadData"))
        texts = IdentifiedTexts(given["corpus"], "the corpus", "ab" * 32, 0 if "article" in given["roles"] else 640)
        return Ticket(verb, api.Answer("done", 1.0, texts))

    def read(*_, **__):
        raise AssertionError("A corpus was read in the process of the page.")

    monkeypatch.setattr(api, "submit", submit)
    monkeypatch.setattr("workbench.data.corpora.load_corpus", read)
    monkeypatch.setattr("workbench.pretraining.tables.sha256", read)
    return found


def corpora():
    return [run.config.corpus for run in api.runs()]


def test_start_reads_no_corpus_in_the_process_of_the_page(asked):
    app = open_page("train")
    app.number_input(key="seeds").set_value(3).run()
    app.button(key="start").click().run()
    assert not app.exception and app.title[0].value == "Runs"
    assert sorted(run.config.training.seed for run in api.runs()) == [0, 1, 2]
    assert {run.config.corpus.sha256 for run in api.runs()} == {"ab" * 32} and corpora()[0].rows == 640
    assert asked == [{"corpus": "demo", "roles": ["text"], "numbers": [], "recipe": "simcse_unsup"}]


def test_three_seeds_are_one_click_beside_a_single_run(asked):
    app = open_page("train")
    assert "One seed cannot say whether another would rank the same; 3 give an interval" in words_of(app)
    app.button(key="start.seeds").click().run()
    assert not app.exception and sorted(run.config.training.seed for run in api.runs()) == [0, 1, 2]
    app = open_page("train", seeds="2")
    assert not [button for button in app.button if button.key == "start.seeds"]


def test_what_start_queues_is_what_train_would_run(asked):
    open_page("train", set=["training.steps=7"]).button(key="start").click().run()
    queued = api.runs()[0].config
    settled = api.settle(steps=7)
    assert {**asdict(queued), "corpus": None, "origins": None} == {**asdict(settled), "corpus": None, "origins": None}
    assert queued.origins["training.steps"] == "user"


def test_a_pretraining_is_hashed_elsewhere_too(asked, tmp_path, monkeypatch):
    monkeypatch.setenv("WORKBENCH_FOLDERS", str(tmp_path))
    file = tmp_path / "articles.txt"
    file.write_text("A paragraph.\n\n" * 20)
    app = open_page("train", recipe="mlm_continue", files=str(file))
    app.button(key="start").click().run()
    assert not app.exception and [corpus.sha256 for corpus in corpora()] == ["ab" * 32]
    assert asked[0]["roles"] == ["article"]


def test_a_sweep_asks_once_for_the_texts_that_its_runs_share(asked):
    app = open_page("train", **{"sweep.open": "true"})
    app.button(key="sweep.queue").click().run()
    assert not app.exception and len(api.runs()) > 3
    assert {corpus.sha256 for corpus in corpora()} == {"ab" * 32} and len(asked) == 1


def test_a_corpus_that_lacks_something_is_one_message_and_asked_for_again(asked):
    asked.refusal = "simcse_unsup needs *texts*."
    app = open_page("train")
    app.button(key="start").click().run()
    assert not app.exception and [error.value for error in app.error] == [r"simcse\_unsup needs \*texts\*."]
    assert not api.runs()
    asked.refusal = ""
    app.button(key="start").click().run()
    assert len(api.runs()) == 1 and len(asked) == 2
