"""The page Train: the form of a run, what must be accepted before it starts, grids and tournaments."""

from workbench.core.config import LONGEST_NAME
from workbench.ui.configs.allowed import config_inside
from workbench.ui.configs.batch import inspect_recipe
from workbench.ui.configs.drafts import form_prefix, say_left_out
from workbench.ui.configs.earlier import offer_earlier
from workbench.ui.configs.repeats import show_repeats
from workbench.ui.corpora.choice import note_scored, pick_corpus
from workbench.ui.corpora.report import show_corpus_report
from workbench.ui.pipelines.editor import unreadable_line
from workbench.ui.train.choice import pick_backbone, pick_recipe
from workbench.ui.train.corpus import corpus_question, misfit, ready_to_queue, unusable, with_seeds
from workbench.ui.train.diagram import show_diagram
from workbench.ui.train.form import run_form
from workbench.ui.train.places import pick_cluster
from workbench.ui.train.pretraining import pick_articles
from workbench.ui.train.readiness import acknowledged_warnings, dry_run_question, show_dry_run
from workbench.ui.train.recipes import recipe_card, show_user_recipes
from workbench.ui.train.start import no_start, start_bar
from workbench.ui.train.sweeps import show_sweep_forms

__all__ = [
    "LONGEST_NAME",
    "acknowledged_warnings",
    "config_inside",
    "corpus_question",
    "dry_run_question",
    "form_prefix",
    "inspect_recipe",
    "misfit",
    "no_start",
    "note_scored",
    "offer_earlier",
    "pick_articles",
    "pick_backbone",
    "pick_cluster",
    "pick_corpus",
    "pick_recipe",
    "ready_to_queue",
    "recipe_card",
    "run_form",
    "say_left_out",
    "show_corpus_report",
    "show_diagram",
    "show_dry_run",
    "show_repeats",
    "show_sweep_forms",
    "show_user_recipes",
    "start_bar",
    "unreadable_line",
    "unusable",
    "with_seeds",
]
