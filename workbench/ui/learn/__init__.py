"""The lesson: its steps in the page, and the same numbers computed with encoders of one's own."""

from workbench.ui.learn.computing import answered, ask_steps, pick_encoders, show_progress, unanswered
from workbench.ui.learn.stepping import act_if_asked, lesson, lesson_title, step_with_numbers

__all__ = [
    "act_if_asked",
    "answered",
    "ask_steps",
    "lesson",
    "lesson_title",
    "pick_encoders",
    "show_progress",
    "step_with_numbers",
    "unanswered",
]
