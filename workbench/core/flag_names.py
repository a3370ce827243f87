"""Names that a setting of a method cannot have, because the commands that take the setting as a flag have such a flag already.

`--seed 3` would set the seed of the run, and the setting would keep its default without a word. The commands are above this
package, so their names are written down here; tests/commands/test_flags.py compares them with the commands and with the
functions of `workbench.api` that take settings by name.
"""

from dataclasses import fields

from workbench.core.config import SECTIONS
from workbench.core.method import Method

TRAINING = frozenset((
    "accept", "after", "at_once", "augmentations", "checkpoint", "corpus", "detach", "dry", "dry_run", "figures", "follow",
    "format", "help", "measure", "minutes", "name", "official", "on", "over", "recipe", "roles", "runs", "sampler_seed", "seeds",
    "trials",
))  # fmt: skip
"""Of `train`, `sweep` and `tune`, besides the values of a run's configuration."""
OF_A_RUN = frozenset(
    item.name for name, section in SECTIONS.items() if name != "pretraining" for item in fields(section)
)
"""The values of a run's configuration: a bare name means one of these rather than a setting of a term."""
OF_A_TERM = frozenset(("augment_a", "augment_b", "every", "guide", "loss", "masks", "objective", "skip", "weight"))
"""What a term has besides the settings of its loss."""
AUGMENT = frozenset((
    "corpus", "draws", "follow", "format", "help", "pipeline", "protect", "protect_pattern", "runs", "seed", "text",
))  # fmt: skip
EVALUATE = frozenset(("data", "format", "help", "precision", "runs", "suite"))


def taken(method: Method, names: frozenset[str], command: str) -> str:
    """Which setting of a method has one of these names of a command, in one line; empty if none has."""
    for name in method.settings:
        if name in names:
            flag = f"--{name.replace('_', '-')}"
            return f"its setting {name} needs another name: {flag} of {command} already means something else."
    return ""
