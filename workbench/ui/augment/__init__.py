"""The page Augment: pipelines and their draws, a scan of a corpus, the fill-mask probe."""

from workbench.ui.augment.draws import draw_form, repeat_draws, show_drawn, use_in_a_run, view_pipelines
from workbench.ui.augment.encoder import encoder_form, show_encoder_view
from workbench.ui.augment.fill_mask import fill_tab
from workbench.ui.augment.scan import scan_tab
from workbench.ui.augment.space import space_tab
from workbench.ui.corpora.sentences import sentences_from

__all__ = [
    "draw_form",
    "encoder_form",
    "fill_tab",
    "repeat_draws",
    "scan_tab",
    "sentences_from",
    "show_drawn",
    "show_encoder_view",
    "space_tab",
    "use_in_a_run",
    "view_pipelines",
]
