"""The first page: the comparisons that ship with the app, the button that repeats the first, and a lesson on anisotropy."""

from workbench.ui.home.demo import demo_cone, demo_facts, demo_on_stsb, demo_plane, demo_provenance, shipped
from workbench.ui.home.lesson import CENTRED, entry_card, lesson
from workbench.ui.home.start import own_checkpoint, run_now

__all__ = [
    "CENTRED",
    "demo_cone",
    "demo_facts",
    "demo_on_stsb",
    "demo_plane",
    "demo_provenance",
    "entry_card",
    "lesson",
    "own_checkpoint",
    "run_now",
    "shipped",
]
