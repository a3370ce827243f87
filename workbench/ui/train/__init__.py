"""The page Train: the form of a run, what must be accepted before it starts, grids and tournaments."""

from workbench.ui.configs.allowed import config_inside
from workbench.ui.configs.batch import inspect_recipe
from workbench.ui.configs.drafts import fields
from workbench.ui.configs.repeats import show_repeats
from workbench.ui.corpora.choice import note_scored, pick_corpus
from workbench.ui.corpora.report import show_corpus_report
from workbench.ui.pipelines.editor import unread
from workbench.ui.train.choice import pick_backbone, pick_recipe
from workbench.ui.train.corpus import corpus_question
from workbench.ui.train.form import run_form
from workbench.ui.train.pretraining import pick_articles
from workbench.ui.train.readiness import accepted, rehearsal, show_rehearsal
from workbench.ui.train.recipes import own_recipes, recipe_card
from workbench.ui.train.summary import amount, estimate_words, run_sentence
from workbench.ui.train.sweeps import sweep_forms

__all__ = [
    "accepted",
    "amount",
    "config_inside",
    "corpus_question",
    "estimate_words",
    "fields",
    "inspect_recipe",
    "note_scored",
    "own_recipes",
    "pick_articles",
    "pick_backbone",
    "pick_corpus",
    "pick_recipe",
    "recipe_card",
    "rehearsal",
    "run_form",
    "run_sentence",
    "show_corpus_report",
    "show_rehearsal",
    "show_repeats",
    "sweep_forms",
    "unread",
]
