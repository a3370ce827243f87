"""The only package that imports Streamlit: forms from knobs, live views, links, and how everything looks."""

from workbench.ui import words
from workbench.ui.address import choose_button, enter, kept, look_back
from workbench.ui.asking import answered, ask
from workbench.ui.augmenting import draw_form, repeat_draws, show_drawn, use_in_a_run, view_pipelines
from workbench.ui.corpora import corpus_question, show_corpus_report
from workbench.ui.demo import demo_cone, demo_facts, demo_plane, demo_provenance, demo_second_case, shipped
from workbench.ui.drafts import fields
from workbench.ui.encoded import encoder_form, seen_by
from workbench.ui.figures import download, takeaway
from workbench.ui.filling import fill_tab
from workbench.ui.folders import inside
from workbench.ui.inspecting import inspect_recipe, inspect_run
from workbench.ui.judging import judge_tab
from workbench.ui.launching import (
    amount,
    estimate_words,
    pick_backbone,
    pick_recipe,
    run_form,
    run_sentence,
    show_repeats,
)
from workbench.ui.lenses import cone_lens, gold_lens, spectrum_lens, views_lens, worst_lens
from workbench.ui.lesson import door, lesson
from workbench.ui.listing import live_table, pick_run
from workbench.ui.literature import literature
from workbench.ui.notices import empty, facts, guarded, lede, name_left_out
from workbench.ui.pipelines import unread
from workbench.ui.pretraining import pick_articles
from workbench.ui.readiness import accepted, rehearsal, show_rehearsal
from workbench.ui.recipes import own_recipes, recipe_card
from workbench.ui.repeat import python_call, repeat
from workbench.ui.run_files import import_archive
from workbench.ui.running import details, live
from workbench.ui.scanning import scan_tab
from workbench.ui.sentences import sentences_from
from workbench.ui.suites import sts_table, transfer_table
from workbench.ui.sweep_forms import sweep_forms
from workbench.ui.sweeps import show_sweeps
from workbench.ui.tables import comparison
from workbench.ui.targets import pick_other, pick_pairs, pick_target, pick_targets, say_absent
from workbench.ui.theme import ICON, dress, framed, refuse_ungated, set_aside_imports
from workbench.ui.uploads import note_scored, pick_corpus
from workbench.ui.whole_config import config_inside
from workbench.ui.words import share

__all__ = [
    "ICON",
    "accepted",
    "amount",
    "answered",
    "ask",
    "choose_button",
    "comparison",
    "cone_lens",
    "config_inside",
    "corpus_question",
    "demo_cone",
    "demo_facts",
    "demo_plane",
    "demo_provenance",
    "demo_second_case",
    "details",
    "door",
    "download",
    "draw_form",
    "dress",
    "empty",
    "encoder_form",
    "enter",
    "estimate_words",
    "facts",
    "fields",
    "fill_tab",
    "framed",
    "gold_lens",
    "guarded",
    "import_archive",
    "inside",
    "inspect_recipe",
    "inspect_run",
    "judge_tab",
    "kept",
    "lede",
    "lesson",
    "literature",
    "live",
    "live_table",
    "look_back",
    "name_left_out",
    "note_scored",
    "own_recipes",
    "pick_articles",
    "pick_backbone",
    "pick_corpus",
    "pick_other",
    "pick_pairs",
    "pick_recipe",
    "pick_run",
    "pick_target",
    "pick_targets",
    "python_call",
    "recipe_card",
    "refuse_ungated",
    "rehearsal",
    "repeat",
    "repeat_draws",
    "run_form",
    "run_sentence",
    "say_absent",
    "scan_tab",
    "seen_by",
    "sentences_from",
    "set_aside_imports",
    "share",
    "shipped",
    "show_corpus_report",
    "show_drawn",
    "show_rehearsal",
    "show_repeats",
    "show_sweeps",
    "spectrum_lens",
    "sts_table",
    "sweep_forms",
    "takeaway",
    "transfer_table",
    "unread",
    "use_in_a_run",
    "view_pipelines",
    "views_lens",
    "words",
    "worst_lens",
]
