"""The corpus of the run in the form: the report on it, and which texts it is when the runs are queued."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from workbench.core.config import Corpus, RunConfig, with_seed
from workbench.core.errors import WorkbenchError
from workbench.data.texts import check_numbers
from workbench.preflight.corpora import on_the_hub
from workbench.recipes import RECIPES
from workbench.recipes.fits import recipes_taking, wanted
from workbench.recipes.load import Need
from workbench.training.batches import check_rows
from workbench.ui.corpora.choice import triplets_offered
from workbench.ui.kit.asking import Question, ask
from workbench.verbs import articles as articles_verb
from workbench.verbs import corpus_report as corpus_report_verb
from workbench.verbs import training_texts as training_texts_verb

_MOST_NAMED = 6
"""Most recipes that a message names."""


def corpus_question(config: RunConfig) -> Question[dict[str, Any]]:
    """Ask for the report on the corpus of the run in the form."""
    if config.pretrains:
        return ask(articles_verb.VERB, slot="train.corpus", corpus=config.corpus.source, backbone=config.model.backbone)
    return ask(corpus_report_verb.VERB, slot="train.corpus", **corpus_report_verb.of_run(config))


def misfit(lacking: str, corpus: str, needs: Need) -> str:
    """Why a corpus does not fit the chosen recipe, `lacking`, and the ways out: the triplets that labelled pairs give, and the
    recipes that take it as it is.
    """
    if needs == "triplets" and triplets_offered(corpus):
        lacking += " Press Build triplets, above."
    titles = [RECIPES[name].title for name in recipes_taking(corpus)]
    more = f" and {len(titles) - _MOST_NAMED} more" if len(titles) > _MOST_NAMED else ""
    fitting = f"Recipes that take it: {'; '.join(titles[:_MOST_NAMED])}{more}." if titles else "No recipe takes it."
    return f"{lacking} {fitting} Or choose another corpus."


def unusable(config: RunConfig, report: Question[dict[str, Any]]) -> str:
    """Why a corpus is too small for one batch, or has scores or labels that teach nothing, by its report; empty if it can be
    used, or if that is not known yet.

    How many texts a recipe takes from documents only its worker knows.
    """
    known = report.result or {}
    if config.pretrains or "rows" not in known or known.get("kind") == "documents":
        return ""
    try:
        check_numbers(known["faults"], wanted(config.terms)[1], config.recipe)
        check_rows(known["rows"], config.training.batch_size)
    except WorkbenchError as error:
        return str(error)
    return ""


def with_seeds(config: RunConfig, count: int) -> list[RunConfig]:
    """The run in the form with its seed and the following ones."""
    return [with_seed(config, config.training.seed + number) for number in range(count)]


def ready_to_queue(configs: Iterable[RunConfig], accept: tuple[str, ...]) -> list[RunConfig]:
    """`with_texts`, with the warnings that were accepted."""
    return [replace(config, accept=accept) for config in with_texts(configs)]


def with_texts(configs: Iterable[RunConfig]) -> list[RunConfig]:
    """The configurations with name, hash and rows of their texts, read by the compute process and waited for.

    Runs that take the same from one corpus share the request. The texts of a data set on the Hub are left to the worker.

    Raises:
        WorkbenchError: a corpus that cannot be read, or lacks what the recipe needs.
    """
    known: dict[tuple[object, ...], Corpus] = {}
    found = []
    for config in configs:
        roles, numbers = (sorted(names) for names in wanted(config.terms))
        key = (config.corpus, *roles, "", *numbers)
        if key not in known:
            known[key] = config.corpus if on_the_hub(config.corpus) else _identified(config, roles, numbers)
        found.append(replace(config, corpus=known[key]))
    return found


def _identified(config: RunConfig, roles: list[str], numbers: list[str]) -> Corpus:
    texts = ask(
        training_texts_verb.VERB,
        slot="train.texts",
        corpus=config.corpus.source,
        roles=roles,
        numbers=numbers,
        recipe=config.recipe,
    ).wait()
    return Corpus(texts.source, texts.name, texts.sha256, texts.rows)
