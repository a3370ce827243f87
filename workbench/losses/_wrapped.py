"""A loss named inside another method's settings."""

from workbench.core.calls import read_call, write_value
from workbench.core.errors import unknown
from workbench.core.method import Method, Settings, find


def read_loss(line: str) -> tuple[Method, Settings]:
    """The loss that `id(name=value, ...)` names, and all its settings.

    Raises:
        BadSetting: the line cannot be read, or a setting is out of its range.
        UnknownName: no such loss or setting.
    """
    from workbench.losses import METHODS

    name, given = read_call(line, f"inner cannot be {line!r}.", "infonce_nn(temperature=0.1)")
    method = find(METHODS, "loss", name)
    values = {}
    for key, value in given.items():
        if key not in method.settings:
            raise unknown(f"setting of {method.id}", key, method.settings)
        word = value if isinstance(value, str) else write_value(value)  # "2" for a text setting, 2.0 for a number
        values[key] = method.settings[key].parse(word.strip("'"))
    return method, method.check(values)
