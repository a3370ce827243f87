"""The clusters that runs can be sent to, by name: ~/.config/workbench/clusters.toml, or the file that WORKBENCH_CLUSTERS names.

[hpc]
kind = "slurm"
python = "/shared/venv/bin/python"
"""

import json
import os
import re
from functools import lru_cache
from pathlib import Path

import tomli
from pydantic import TypeAdapter, ValidationError

from workbench.core.errors import BadSetting, UnknownName, unknown
from workbench.core.validation import fault_of
from workbench.scheduler.executors import ray_jobs, slurm
from workbench.scheduler.executors.ray_jobs import RayCluster
from workbench.scheduler.executors.slurm import SlurmCluster

LOCAL = "local"
"""The name of this machine, which no cluster may have."""
KINDS: dict[str, type[SlurmCluster] | type[RayCluster]] = {"slurm": SlurmCluster, "ray": RayCluster}
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")


def clusters_file() -> Path:
    """Where the clusters are described; the file need not exist."""
    return Path(os.environ.get("WORKBENCH_CLUSTERS") or "~/.config/workbench/clusters.toml").expanduser()


def clusters() -> dict[str, SlurmCluster | RayCluster]:
    """All clusters, by name; empty without a file.

    Raises:
        BadSetting: the file is not TOML, or has an unknown kind or setting, or a value of the wrong type.
    """
    path = clusters_file()
    try:
        about = path.stat()
        return dict(_read(path, about.st_mtime_ns, about.st_size))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise BadSetting(f"{path} cannot be read: {error}.", way_out="Correct it, or remove it.") from None


def cluster(name: str) -> SlurmCluster | RayCluster:
    """One cluster.

    Raises:
        BadSetting: the file is wrong, see `clusters`, or names no cluster at all, as for a moment while it is being edited.
        UnknownName: it has no such cluster, but others.
    """
    known = clusters()
    if not known:
        raise BadSetting(
            f"There is no cluster {name!r}: {clusters_file()} names none.",
            way_out=f"Write a section for it there, or use {LOCAL}, this machine.",
        )
    if name not in known:
        raise unknown("cluster", name, [LOCAL, *known])
    return known[name]


def gone(name: str) -> UnknownName:
    """The error for a run that was sent to a cluster which is not in the file any more, while others are."""
    return UnknownName(
        f"The run was sent to the cluster {name}, which {clusters_file()} does not name any more.",
        way_out="Write its section there again; or resume the run elsewhere: runs resume ID --on NAME, "
        f"{LOCAL} for this machine.",
    )


def chosen(name: str) -> str:
    """`name` as it is recorded: empty for this machine.

    Raises:
        BadSetting, UnknownName: see `cluster`.
    """
    if name in ("", LOCAL):
        return ""
    cluster(name)
    return name


def answer_of(name: str) -> str:
    """What a cluster says of itself.

    Raises:
        OSError: it does not answer.
        BadSetting, UnknownName: see `cluster`.
    """
    about = cluster(name)
    return ray_jobs.Ray(name, about).check() if isinstance(about, RayCluster) else slurm.check()


@lru_cache(8)
def _read(path: Path, _mtime_ns: int, _size: int) -> dict[str, SlurmCluster | RayCluster]:
    try:
        sections = tomli.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise BadSetting(f"{path} is not valid TOML: {error}.", way_out="Correct it.") from None
    return {name: _cluster(path, name, section) for name, section in sections.items()}


def _cluster(path: Path, name: str, section: object) -> SlurmCluster | RayCluster:
    if not _NAME.fullmatch(name) or name == LOCAL:
        raise BadSetting(
            f"A cluster cannot be named {name!r} in {path}.",
            rule=f"A name has up to 40 lower-case letters, digits and dashes, and is not {LOCAL!r}.",
            way_out="Rename it.",
        )
    kind = section.get("kind") if isinstance(section, dict) else None
    if not isinstance(kind, str) or kind not in KINDS:
        raise BadSetting(
            f"The cluster {name} in {path} has no known kind.",
            rule=f"It is a section with kind = {' or '.join(map(repr, KINDS))}.",
            got=repr(kind if isinstance(section, dict) else section),
        )
    try:  # through JSON, because only there does strict mode accept lists as tuples
        found: SlurmCluster | RayCluster = TypeAdapter(KINDS[kind]).validate_json(json.dumps(section, default=str))
    except ValidationError as error:
        fault = fault_of(error)
        parts = ": ".join(filter(None, (f"The cluster {name} in {path}", fault.where, fault.what)))
        raise BadSetting(f"{parts}.", got=fault.got, way_out="Correct it.") from None
    return found
