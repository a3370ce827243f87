"""The first page: the comparisons that ship with the app, the button that repeats the first, and the doors."""

from workbench.ui.home.demo import demo_cone, demo_facts, demo_on_stsb, demo_plane, demo_provenance, shipped
from workbench.ui.home.doors import entry_card
from workbench.ui.home.recent import recent_runs
from workbench.ui.home.start import own_checkpoint, run_now

__all__ = [
    "demo_cone",
    "demo_facts",
    "demo_on_stsb",
    "demo_plane",
    "demo_provenance",
    "entry_card",
    "own_checkpoint",
    "recent_runs",
    "run_now",
    "shipped",
]
