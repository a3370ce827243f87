"""Runs that cannot succeed on this machine, told apart before they are queued. Loads no model."""

from workbench.core.config import RunConfig
from workbench.jobs.drawn import absence
from workbench.models.cards import EMBEDDED
from workbench.objectives import method_of


def refusal(config: RunConfig) -> str:
    """Why a run would fail before its first step, in one line; empty where nothing is known against it.

    A masked-language head that the backbone lacks, and models, vectors or words that an augmentation lacks.
    """
    known = EMBEDDED.get(config.model.backbone)
    for term in config.terms:
        setting = method_of(term).tags.get("masked", "")
        if setting and known and not known.masked and not term.settings.get(setting):
            usable = ", ".join(name for name, card in EMBEDDED.items() if card.masked) or "one of the Hub"
            return (
                f"{known.id} has no masked-language head, which {term.name} needs. Take a backbone with one "
                f"({usable}), or name as {setting} a model with the tokens of {known.id}."
            )
        for view in (*term.views.values(), *term.more.values()):
            for title, lack in absence(view.augmentation).items():
                return f"{title}: {lack}"
    return ""
