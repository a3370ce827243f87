"""Which kind of training a configuration is."""

from workbench.runs.context import RunContext
from workbench.runs.fine_tuning import FineTuning
from workbench.runs.kind import Kind
from workbench.runs.masked_modelling import MaskedModelling


def kind_of(context: RunContext) -> Kind:
    """The kind of training that a configuration is."""
    return MaskedModelling(context) if context.config.pretrains else FineTuning(context)
