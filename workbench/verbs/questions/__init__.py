"""What can be asked of the compute process, by topic: each verb's arguments, checked before anything waits, and its key.

A verb is a function of a topic here, which checks, and the function of the same name in the same topic of
`workbench.verbs.answers`, which runs in the process that has torch. `VERBS` is the one list of them.
"""

import hashlib
import inspect
import json
from collections.abc import Callable
from typing import Any

from workbench.compute.tickets import Ticket, ask
from workbench.core.disk_errors import disk_errors_explained
from workbench.core.errors import unknown
from workbench.store.names import RunsFolder
from workbench.verbs.questions import augmentations, corpora, machine, pretraining, runs, scores, texts
from workbench.verbs.questions.question import Question

__all__ = ["VERBS", "Question", "submit"]

VERBS: dict[str, Callable[..., None]] = {
    fn.__name__: fn
    for fn in (
        texts.encode,
        texts.dropout_views,
        texts.project,
        texts.geometry,
        texts.neighbours,
        texts.tokens,
        texts.fill_mask,
        scores.evaluate,
        scores.sts,
        scores.transfer,
        corpora.corpus_report,
        corpora.sample,
        corpora.scan,
        corpora.cost,
        corpora.drawn_pairs,
        augmentations.augment,
        augmentations.states,
        runs.inspect,
        runs.gradients,
        runs.dry_run,
        pretraining.articles,
        machine.wordnet,
    )
}


def submit(folder: RunsFolder, verb: str, arguments: dict[str, Any], *, session: str = "", slot: str = "") -> Ticket:
    """Check a question and ask it.

    Raises:
        UnknownName: no such verb or argument, or one of the names in it.
        WorkbenchError: what is wrong with an argument.
    """
    if verb not in VERBS:
        raise unknown("verb", verb, VERBS)
    known = list(inspect.signature(VERBS[verb]).parameters)[1:]
    for name in arguments:
        if name not in known:
            raise unknown(f"argument of {verb}", name, known)
    question = Question(folder)
    with disk_errors_explained():
        VERBS[verb](question, **arguments)
    depends = json.dumps([verb, question.depends], sort_keys=True, default=str)
    key = f"{verb}-{hashlib.sha256(depends.encode('utf-8', 'surrogatepass')).hexdigest()[:24]}"
    with disk_errors_explained():
        return ask(folder, verb, question.arguments, key=key, lane=question.lane, session=session, slot=slot)
