"""What makes two runs of sweeps the same run."""

import json
from contextlib import suppress
from dataclasses import MISSING, fields, is_dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

from workbench.core.config import RunConfig
from workbench.data.references import file_stamps


def key_of(config: RunConfig) -> str:
    """Sixteen hexadecimal digits of all that a run does: not its name, nor who set which value.

    Values at their defaults are left out, so that a setting that is new in a later version changes no key. A file counts
    with its size and date: other texts under the same path are another run.
    """
    found = _unlike_defaults(replace(config, name="", origins={}))
    path = Path(config.corpus.source.partition("#")[0])
    with suppress(OSError):
        about = path.stat()
        found["file"] = [about.st_size, about.st_mtime_ns]
    if config.corpus.of_pairs:
        found["files"] = [file_stamps(part) for part in config.corpus.files]
    text = json.dumps(found, sort_keys=True, default=str)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _unlike_defaults(part: Any) -> Any:
    if is_dataclass(part) and not isinstance(part, type):
        found = {}
        for item in fields(part):
            value = getattr(part, item.name)
            default = item.default_factory() if item.default_factory is not MISSING else item.default
            if value != default:
                found[item.name] = _unlike_defaults(value)
        return found
    if isinstance(part, tuple):
        return [_unlike_defaults(value) for value in part]
    if isinstance(part, dict):
        return {str(name): _unlike_defaults(value) for name, value in part.items()}
    return part
