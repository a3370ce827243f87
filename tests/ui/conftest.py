"""Parts of pages in AppTest."""

from tests.pages.conftest import one_look_at_the_packages  # noqa: F401 - a fixture
