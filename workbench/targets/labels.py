"""What the label of a run means where a target is expected."""

from workbench.core import paths
from workbench.core.errors import BadRun, WorkbenchError
from workbench.models.cards import EMBEDDED, OWN
from workbench.store.lookup import find, folder_of
from workbench.store.run import Run
from workbench.targets.target import by_notation, is_baseline, split


def stands_for(label: str, run: Run) -> str:
    """What the label of a run stands for if it is not the run, in words; empty if it is."""
    folder = folder_of(run)
    if label in EMBEDDED or label in OWN:
        return "a backbone"
    if is_baseline(label):
        return "a baseline"
    if paths.existing(label) or "/" in label or "\\" in label:
        return "a model folder or one of the Hub"
    try:
        if find(folder, label).id != run.id:
            return "another run"
    except BadRun:
        return "several runs"
    if split(label).name == label:
        return ""
    try:
        return f"the target {by_notation(label, folder).text}"
    except WorkbenchError:
        return ""
