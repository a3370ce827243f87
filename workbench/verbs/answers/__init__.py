"""How each verb is answered, in the process that has torch: the topics and names of `workbench.verbs.questions`."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from workbench.verbs.questions import VERBS


def answer_to(verb: str) -> Callable[..., Any]:
    """The function that answers a verb: of the same name and topic as the one that checks it."""
    topic = VERBS[verb].__module__.rpartition(".")[2]
    return getattr(import_module(f"{__name__}.{topic}"), verb)
