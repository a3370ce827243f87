"""Which kind of training a configuration is."""

from typing import TYPE_CHECKING

from workbench.jobs.fine_tuning import FineTuning
from workbench.jobs.kinds import Kind
from workbench.jobs.masked import MaskedModelling

if TYPE_CHECKING:
    from workbench.jobs.driver import Driver


def kind_of(driver: "Driver") -> Kind:
    """The kind of training that a configuration is."""

    return MaskedModelling(driver) if driver.config.pretrains else FineTuning(driver)
