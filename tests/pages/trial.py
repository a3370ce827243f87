"""Pages in AppTest, and the verbs' own answers without a process that computes them."""

import json
import re
import uuid
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import pytest
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData
from streamlit.testing.v1 import AppTest, local_script_runner

from workbench import api
from workbench.core.errors import WorkbenchError
from workbench.core.progress import no_progress
from workbench.inspecting.steps import bare
from workbench.store import names, results
from workbench.verbs.compare_methods import CompareMethods
from workbench.verbs.corpus_report import CorpusReport
from workbench.verbs.drawn_pairs import DrawnPairs
from workbench.verbs.dry_run import DryRun
from workbench.verbs.gradients import Gradients
from workbench.verbs.project import Project
from workbench.verbs.scan import Scan

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 300
"""A page may take so long on a busy machine where what it asks is computed for the first time."""


class Answers:
    """Answers of the verbs themselves, each computed once for all tests and kept in `place` as the compute process keeps it."""

    def __init__(self, place, models):
        self.place, self.models = place, models

    def of(self, verb, folder, given):
        """The answer to what was given, read anew: every test may change its own."""
        request, models = smaller(verb.ask(folder, given)), self.models
        key = verb.key(request)
        if isinstance(request, CompareMethods):  # it groups runs, which therefore stay runs
            models = BackboneOfEachRun(self.models)
        else:
            request = verb.read(json.loads(json.dumps(verb.write(request, folder))), folder)
        if not results.has(place := self.place / key):
            with one_thread():
                results.save(place, verb.run(request, models, no_progress))
        return results.load(place, verb.kind)


class BackboneOfEachRun:
    """A model cache that fits, for a run, its backbone."""

    def __init__(self, models):
        self.models, self.folder = models, models.folder

    def fit(self, target, on_progress, **texts):
        return self.models.fit(with_weights(target), on_progress, **texts)

    def prompt_notices(self, target):
        return self.models.prompt_notices(with_weights(target))


@contextmanager
def one_thread():
    """Two threads that wait for each other would take the cores from the other tests."""
    import torch
    from threadpoolctl import threadpool_limits

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with threadpool_limits(1):
            yield
    finally:
        torch.set_num_threads(before)


def smaller(request):
    """A request whose answer has the same form, and takes a moment."""
    changes = {}
    if (target := getattr(request, "target", None)) is not None:
        changes["target"] = with_weights(target)
    if isinstance(request, Project) and request.method in ("umap", "tsne"):  # seconds to compute
        changes["method"] = "pca"
    if isinstance(request, Project) and request.views:
        changes["views"] = min(request.views, 8)
    if isinstance(request, DryRun):  # a second for each configuration, and a page shows the same of all
        changes["config"] = bare(api.settle(batch_size=8))
    if isinstance(request, Gradients):
        changes["rows"] = min(request.rows, 4)
    if isinstance(request, CorpusReport) and request.corpus == "demo":  # half a second for each batch of each recipe
        changes |= {"max_length": 32, "batch_size": 64, "apart": True, "dedup_batch": False}
    if isinstance(request, Scan):
        changes["n"] = min(request.n, 6)
    if isinstance(request, DrawnPairs):
        changes["count"] = min(request.count, 3)
    return replace(request, **changes) if changes else request


def with_weights(target):
    """The runs of these tests have no weights: their backbones answer for them."""
    if not target.run:
        return target
    model = target.run.config.model
    return replace(target, backbone=model.backbone, revision=model.revision, run=None, checkpoint="")


class Ticket:
    """What a page holds of a question. Its answer is computed when it is first looked at, or never comes."""

    quick, number = True, 1

    def __init__(self, key, state, compute, *, error=""):
        self.key, self.state, self.error = key, state, error
        self.runs = uuid.uuid4().hex  # no test is given what another one loaded
        self._compute = cache(compute)

    def poll(self, *, load=True):
        if self.state != "done":
            return api.Answer(self.state, 0.3, error=self.error, note="Loading <b>it</b>")
        try:
            return api.Answer("done", 1.0, self._compute())
        except WorkbenchError as error:
            return api.Answer("failed", error=str(error), kind=type(error).__name__)

    def cancel(self):
        self.state = "cancelled"


class Asked(list):
    """The questions of a test, as (verb, what was given), each answered at once by the verb itself.

    `state` is that of every answer, and `states` those of single verbs, where they are not done. By verb, `changes` makes
    another answer of one and of what was given for it: what only a rare question would bring; and `instead` makes what is
    really asked of what was given.
    """

    def __init__(self, answers):
        super().__init__()
        self.answers = answers
        self.state, self.states, self.error = "done", {}, "The model is gone."
        self.changes, self.instead = {}, {}
        self.tickets = {}

    def submit(self, verb, *, session="", slot="", runs=None, **given):
        assert session and slot
        folder = names.runs_folder(runs)
        key = verb.key(verb.ask(folder, given))
        self.append((verb.id, given))
        before = self.tickets.get(verb.id)
        if before and before.key == key and before.poll(load=False).state in ("queued", "running"):
            return before

        def compute():
            answer = self.answers.of(verb, folder, self.instead[verb.id](given) if verb.id in self.instead else given)
            return self.changes[verb.id](answer, given) if verb.id in self.changes else answer

        state = self.states.get(verb.id, self.state)
        self.tickets[verb.id] = Ticket(key, state, compute, error=self.error)
        return self.tickets[verb.id]

    def answer(self, verb, **given):
        """The verb's own answer, unchanged."""
        return self.answers.of(verb, names.runs_folder(), given)

    def of(self, name):
        """What was given for the questions of one verb."""
        return [given for verb, given in self if verb == name]


def open_page(name, /, **address):
    """One page in its frame, with what the address says."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=SECONDS)
    for key, value in address.items():
        app.query_params[key] = value
    return (app if name == "home" else app.switch_page(f"pages/{name}.py")).run()


def gone_back(app):
    """The page once more, at the address that it has now, as by the browser's Back or Forward."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local_script_runner, "RerunData", partial(RerunData, is_history_navigation=True))
        return app.run()


def unfolded(app, key, shown=True):
    """The page with one of its closed parts open, or another of its tabs: what lies there is made only then."""
    app.session_state[key] = shown
    return app.run()


def words_of(app):
    """Everything that a page says in HTML, without the marks of words that have a meaning beside them, with plain spaces."""
    said = " ".join(element.proto.body for element in app.get("html"))
    return re.sub("</?dfn[^>]*>", "", said).replace("\u00a0", " ")


def errors_but(app, expected):
    """The errors on a page, except the one that is expected."""
    return [error.value for error in app.error if expected not in error.value]
