"""Where the runs are worked on: only asked where there are clusters."""

from workbench.core.errors import WorkbenchError
from workbench.scheduler import clusters
from workbench.ui.kit.address import choose
from workbench.ui.kit.notices import trouble


def pick_cluster() -> str:
    """The cluster that the runs are for; empty for this machine, which it is without a file of clusters."""
    try:
        known = clusters.clusters()
    except WorkbenchError as error:
        trouble(error)
        return ""
    if not known:
        return ""
    chosen = choose(
        "Where it runs",
        [clusters.LOCAL, *known],
        key="cluster",
        start=clusters.LOCAL,
        shown=lambda name: "this machine" if name == clusters.LOCAL else f"{name} ({known[name].kind})",
        help="The clusters of clusters.toml. All of their nodes must see the runs folder, the texts and the backbone under the "
        "same paths as this machine.",
    )
    return "" if chosen == clusters.LOCAL else chosen
