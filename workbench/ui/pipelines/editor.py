"""The pipeline editor: steps as forms, and the same pipeline as one line of text that can be pasted and shared."""

from dataclasses import replace
from functools import partial

import streamlit as st

from workbench.augmentations.availability import missing
from workbench.augmentations.catalogue import AUGMENTATIONS, LEVELS, level, pools
from workbench.augmentations.pipeline import Step, parse
from workbench.core.errors import WorkbenchError
from workbench.core.method import Knob, Method, Setting
from workbench.ui.kit.address import address_changed, write_address
from workbench.ui.kit.forms import settings_form
from workbench.ui.kit.notices import quiet, trouble
from workbench.ui.kit.words import coded, html, plain

CLASSES = {
    "meaning_alteration": "meaning altered",
    "possible": "meaning possibly altered",
    "preserving": "meaning highly preserved",
}
LEVEL_NAMES = {
    "text": "Text",
    "models": "Text by a model",
    "positions": "Positions",
    "states": "Token states",
    "vectors": "Vectors",
}
_RANK = {name: place for place, name in enumerate(("text", "positions", "states", "vectors"))} | {"models": 0}
_CHANCE = Setting("probability", float, 1.0, Knob(0.01, 1.0, 0.01, "Probability that this step is applied to a text."))
_RESTORE = "Restore the line of the steps above"
_NEW_CHOICE = "one_of(eda_delete, eda_swap)"


def pipeline_editor(
    key: str, start: str, *, address: str = "", compact: bool = False, shown: bool = True, role: str = ""
) -> str:
    """An editor of one pipeline; returns its line, without settings that have their defaults.

    `key` begins with the name of the page and holds the state. `address` is the parameter of the address that holds the
    line, `compact` omits what does not fit a narrow column, methods of `role` are offered first. Without `shown` nothing is
    drawn, and the last line is returned.
    """
    _arrive(key, start, address)
    if shown:
        steps = _steps(key, compact=compact, choices=False)
        _adder(key, role, choices=False)
        _write(key, steps)
        _line_field(key)
    line = str(st.session_state[f"{key}.now"])
    if address:
        write_address(address, [] if parse(line) == parse(start) else [line])
    return line


def unreadable_line(prefix: str) -> str:
    """Why a line that was typed or came with a link cannot be parsed, in any editor whose key has the prefix; else empty."""
    for key, value in st.session_state.items():
        if str(key).startswith(prefix) and str(key).endswith(".wrong"):
            line, error = value
            return (
                f"The pipeline “{line}” cannot be parsed and would be ignored: {_short(error)} Correct it under “Views: "
                f"augmentation and dropout”, or choose “{_RESTORE}” there."
            )
    return ""


def _short(error: WorkbenchError) -> str:
    """What is wrong, without the long list of known names, which the editor offers under "Add a step"."""
    return str(error).partition(" Known: ")[0]


def _shortened(step: Step) -> Step:
    """The step without settings that have their defaults; `parse` reads the same step from it."""
    if step.choices:
        return replace(step, choices=tuple(map(_shortened, step.choices)))
    defaults = step.method.settings
    return replace(step, settings={k: v for k, v in step.settings.items() if v != defaults[k].default})


# The steps are a list of (number, line of the step) by key. A step keeps its number for life, so that its widgets follow it
# wherever it moves.


def _arrive(key: str, start: str, address: str) -> None:
    """Load the line from a link, or start with `start`."""
    if f"{key}.now" not in st.session_state:
        _load(key, start)
    if address and address_changed(address):
        _typed(key, st.query_params.get(address, start))


def _typed(key: str, line: str) -> None:
    """Parse a line into steps; an invalid one stays in its field with the error, and the steps stay unchanged."""
    try:
        _load(key, line)
    except WorkbenchError as error:
        st.session_state[f"{key}.wrong"] = (line, error)


def _load(key: str, line: str) -> None:
    pipeline = parse(line)
    _write(key, [(_number(key), _shortened(step)) for step in pipeline.steps])
    st.session_state.pop(f"{key}.wrong", None)


def _write(key: str, steps: list[tuple[int, Step]]) -> None:
    st.session_state[f"{key}.steps"] = [(number, str(step)) for number, step in steps]
    st.session_state[f"{key}.now"] = " + ".join(str(step) for _, step in steps)


def _number(key: str) -> int:
    st.session_state[f"{key}.count"] = number = st.session_state.get(f"{key}.count", 0) + 1
    return number


def _known(key: str) -> list[tuple[int, Step]]:
    return [(number, parse(line).steps[0]) for number, line in st.session_state[f"{key}.steps"]]


def _steps(key: str, *, compact: bool, choices: bool) -> list[tuple[int, Step]]:
    """Every step as a form; returns the steps as the forms now say."""
    known = _known(key)
    if not known:
        quiet("No steps: the text is not changed.")
    found = []
    for place, (number, step) in enumerate(known):
        # A pool has a dozen choices, which fit on a screen only when closed.
        card = (
            st.expander(plain(_title(step)), key=f"{key}.{number}.card")
            if choices
            else st.container(border=True, gap="small")
        )
        with card:
            if not choices:
                _head(key, known, place)
            found.append((number, _form(f"{key}.{number}", step, compact or choices)))
            if choices:
                st.button(
                    f"Remove “{plain(_title(step))}”",
                    key=f"{key}.{number}.remove",
                    type="tertiary",
                    disabled=len(known) == 1,
                    on_click=partial(_remove, key, place),
                )
    return found


def _title(step: Step) -> str:
    return "One of these, chosen at random for each text" if step.choices else step.method.title


def _head(key: str, known: list[tuple[int, Step]], index: int) -> None:
    """Number, title, and the buttons that move and remove a step. Steps of different levels cannot be swapped."""
    number, step = known[index]
    title = _title(step)
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key=f"icons.{key}.{number}"):
        st.html(f'<h3 class="step">{index + 1}. {html(title)}</h3>', width="stretch")
        for way, icon, to in (("Up", "arrow_upward", index - 1), ("Down", "arrow_downward", index + 1)):
            name = f"Move step {index + 1} {way.lower()}: {plain(title)}"
            st.button(
                name,
                icon=f":material/{icon}:",
                key=f"{key}.{number}.{way}",
                help=name,
                type="tertiary",
                disabled=not (0 <= to < len(known)) or _RANK[known[to][1].level] != _RANK[step.level],
                on_click=partial(_move, key, index, to),
            )
        name = f"Remove step {index + 1}: {plain(title)}"
        st.button(
            name,
            icon=":material/close:",
            key=f"{key}.{number}.remove",
            help=name,
            type="tertiary",
            on_click=partial(_remove, key, index),
        )


def _form(key: str, step: Step, brief: bool) -> Step:
    """The knobs of one step; returns the step with their values."""
    if step.choices:
        inner = f"{key}.choices"
        if f"{inner}.steps" not in st.session_state:
            _write(inner, [(_number(inner), choice) for choice in step.choices])
        chosen = _steps(inner, compact=brief, choices=True)
        _adder(inner, "", choices=True)
        _write(inner, chosen)
        step = replace(step, choices=tuple(choice for _, choice in chosen))
    else:
        method = step.method
        about(method, brief=brief)
        if lack := missing(step):
            st.html(f'<p class="lack">{coded(lack)}</p>')
        part = step.part
        if (parts := int(method.tags.get("parts", "1"))) > 1:
            part = st.segmented_control(
                "Which of its texts",
                list(range(parts)),
                default=step.part,
                format_func=("the first", "the second", "the third", "the fourth").__getitem__,
                required=True,
                key=f"{key}.part",
                persist_state="session",
            )
        step = replace(step, part=int(part or 0))
    knobs = {} if step.choices else step.method.settings
    values = settings_form(
        {**knobs, _CHANCE.name: _CHANCE},
        prefix=f"{key}.",
        values={**step.settings, _CHANCE.name: step.probability},
        across=2,
    )
    return _shortened(replace(step, probability=float(values.pop(_CHANCE.name)), settings=values))


_ROLES = {
    "positive": "makes positives, to be drawn together",
    "negative": "makes negatives, to be pushed apart",
}


_GIVEN = {
    "`text`": "the text",
    "`(states, mask)`": "the token states",
    "`states`": "the token states",
    "`position_ids`": "the position ids",
}


def summary_words(method: Method) -> str:
    """The summary of an augmentation for those who read no code: what it is given has no name of a parameter."""
    what = method.summary
    for name, words in _GIVEN.items():
        what = what.replace(name, words)
    return what[:1].upper() + what[1:]


def about(method: Method, *, brief: bool = False) -> None:
    """What a method does, where it comes from, and whether it is labelled as altering the meaning."""
    marks = [f"<b>{html(LEVEL_NAMES[level(method.id)].lower())}</b>"]
    if "class" in method.tags:
        marks.append(html(CLASSES[method.tags["class"]]))
    if "role" in method.tags:
        marks.append(_ROLES[method.tags["role"]])
    if method.tags.get("language") == "english":
        marks.append("for English")
    if "note" in method.tags:
        marks.append(html(method.tags["note"]))
    summary = (
        "" if brief else f'<p class="footing">{coded(summary_words(method))} <cite>{html(method.source)}</cite></p>'
    )
    st.html(f'<p class="marks">{" · ".join(marks)}</p>{summary}')


def _move(key: str, index: int, to: int) -> None:
    steps = st.session_state[f"{key}.steps"]
    steps[index], steps[to] = steps[to], steps[index]


def _remove(key: str, index: int) -> None:
    del st.session_state[f"{key}.steps"][index]


def _adder(key: str, role: str, *, choices: bool) -> None:
    """A searchable list of the whole catalogue; the choice becomes a step."""
    offered = _offered(role, choices)
    st.selectbox(
        "Add a choice" if choices else "Add a step",
        list(offered),
        index=None,
        key=f"{key}.add",
        format_func=lambda name: offered.get(name, name),
        placeholder="Type to search by name, level or class",
        on_change=_add,
        args=(key,),
    )


def _offered(role: str, choices: bool) -> dict[str, str]:
    """What can be added, grouped by level and class, with the text that is searched."""
    order = list(CLASSES)

    def rank(name: str) -> tuple[bool, int, int, str]:
        tags = AUGMENTATIONS[name].tags
        other = bool(role) and tags.get("role", "positive") != role
        return other, list(LEVELS).index(level(name)), -order.index(tags.get("class", "possible")), name

    names = sorted((name for name in AUGMENTATIONS if not choices or level(name) in ("text", "models")), key=rank)
    found = {name: _entry(name) for name in names}
    if not choices:
        found[_NEW_CHOICE] = "One of several · chosen at random for each text"
        found |= {name: f"{_pool_title(name)} · chosen at random for each text" for name in pools()}
    return found


def _entry(name: str) -> str:
    method = AUGMENTATIONS[name]
    kind = CLASSES.get(method.tags.get("class", ""), "").removeprefix("meaning ").removeprefix("highly ")
    english = " · English" if method.tags.get("language") == "english" else ""
    absent = " · not installed" if method.absent else ""
    return f"{LEVEL_NAMES[level(name)]}, {kind}: {method.title} · {name}{english}{absent}"


def _pool_title(name: str) -> str:
    return f"{name}: AugCSE's pool, {len(pools()[name])} of its {name.rpartition('_')[2]} members"


def _add(key: str) -> None:
    name = st.session_state.get(f"{key}.add")
    if name is None:
        return
    st.session_state[f"{key}.add"] = None
    known = _known(key)
    step = _shortened(parse(str(name)).steps[0])
    # After the last step of its own or an earlier level: no other position is valid.
    place = sum(_RANK[other.level] <= _RANK[step.level] for _, other in known)
    known.insert(place, (_number(key), step))
    _write(key, known)


def _line_field(key: str) -> None:
    """The pipeline as text: follows the steps, and parses what is pasted."""
    line, error = st.session_state.get(f"{key}.wrong", ("", None))
    st.session_state[f"{key}.line"] = line if error else st.session_state[f"{key}.now"]
    st.text_input(
        "As one line",
        key=f"{key}.line",
        placeholder="such as eda_swap(rate=0.2) + typo_noise@0.5",
        help="The form used in recipes, runs and the command line. Paste a line, and the steps follow.",
        on_change=_read_line,
        args=(key,),
    )
    if error:
        trouble(f"{_short(error)} The steps above are unchanged. Correct the line, or choose under “Add a step”.")
        st.button(
            _RESTORE,
            key=f"{key}.back",
            type="tertiary",
            icon=":material/undo:",
            on_click=partial(_forget, key),
        )


def _forget(key: str) -> None:
    st.session_state.pop(f"{key}.wrong", None)


def _read_line(key: str) -> None:
    _typed(key, str(st.session_state[f"{key}.line"] or ""))
