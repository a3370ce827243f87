"""A loss named inside another method's settings."""

import re
from typing import Any

from workbench.core.errors import BadSetting, unknown
from workbench.core.method import Method, find


def read_loss(line: str) -> tuple[Method, dict[str, Any]]:
    """The loss that `id(name=value, ...)` says, and all its settings.

    Raises:
        BadSetting: it cannot be read, or a setting is out of its range.
        UnknownName: no such loss or setting.
    """
    from workbench.losses import METHODS

    wrong = BadSetting(f"inner cannot be {line!r}.", rule="It is written like infonce_nn(temperature=0.1).")
    read = re.fullmatch(r"\s*(\w+)\s*(?:\(([^()]*)\)\s*)?", line)
    if read is None:
        raise wrong
    method = find(METHODS, "loss", read[1])
    values = {}
    for part in filter(str.strip, (read[2] or "").split(",")):
        name, equals, value = (word.strip() for word in part.partition("="))
        if not equals:
            raise wrong
        if name not in method.settings:
            raise unknown(f"setting of {method.id}", name, method.settings)
        values[name] = method.settings[name].parse(value.strip("\"'"))
    return method, method.check(values)
