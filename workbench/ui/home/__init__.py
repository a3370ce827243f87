"""The first page: the comparison that ships with the app, and a lesson on anisotropy."""

from workbench.ui.home.demo import demo_cone, demo_facts, demo_plane, demo_provenance, demo_second_case, shipped
from workbench.ui.home.lesson import entry_card, lesson

__all__ = [
    "demo_cone",
    "demo_facts",
    "demo_plane",
    "demo_provenance",
    "demo_second_case",
    "entry_card",
    "lesson",
    "shipped",
]
