"""Identifying the texts of a run before it is queued: their name, hash and number of rows."""

from collections.abc import Collection
from dataclasses import replace

from workbench.core.config import Corpus, RunConfig
from workbench.core.progress import Progress, no_progress
from workbench.pretraining import articles
from workbench.recipes.fits import ARTICLES, texts_for, wanted


def identified(
    source: str,
    roles: Collection[str],
    numbers: Collection[str],
    *,
    recipe: str,
    on_progress: Progress = no_progress,
) -> Corpus:
    """The corpus with name, hash and rows of its texts as a recipe takes them; all of it is read.

    `roles` and `numbers` are the columns taken, see `recipes.fits.wanted`. Articles are hashed but not counted: 0 rows.

    Raises:
        BadData: the corpus cannot be read, or lacks a column that the recipe needs.
    """
    if ARTICLES in roles:
        on_progress(0.0, "Hashing the articles")
        return articles.identified(source, recipe)
    texts = texts_for(source, roles, numbers, recipe=recipe, on_progress=on_progress)
    return Corpus(source, texts.name, texts.sha256, texts.rows)


def on_the_hub(corpus: Corpus) -> bool:
    """Whether the texts can only be identified by a download, which is left to the worker."""
    return corpus.source.startswith("hf:") or (corpus.of_pairs and any(part.startswith("hf:") for part in corpus.files))


def with_corpus(config: RunConfig) -> RunConfig:
    """The configuration with name, hash and rows of its texts, unless it has them or they are on the Hub.

    Raises:
        BadData: the corpus cannot be read, or lacks a column that the recipe needs.
    """
    corpus = config.corpus
    if corpus.sha256 or on_the_hub(corpus):
        return config
    roles, numbers = wanted(config.terms)
    return replace(config, corpus=identified(corpus.source, roles, numbers, recipe=config.recipe))
