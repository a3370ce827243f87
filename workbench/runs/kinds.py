"""Which kind of training a configuration is."""

from typing import TYPE_CHECKING

from workbench.runs.fine_tuning import FineTuning
from workbench.runs.kind import Kind
from workbench.runs.masked_modelling import MaskedModelling

if TYPE_CHECKING:
    from workbench.runs.driver import Driver


def kind_of(driver: "Driver") -> Kind:
    """The kind of training that a configuration is."""

    return MaskedModelling(driver) if driver.config.pretrains else FineTuning(driver)
