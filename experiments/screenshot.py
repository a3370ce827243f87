"""README's picture of Home, in Chromium and from what is shipped: `python -m experiments.screenshot`.

The app is served on a runs folder of its own. Chromium is `chromium`, or what WORKBENCH_CHROMIUM names.
"""

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

from experiments.bench.app import AT_REST, HOME, chromium, served

PICTURE = Path(__file__).resolve().parent.parent / "assets" / "images" / "home.png"
WIDTH, HEIGHT = 1280, 1000
FIGURES = 3
"""Those that are in the picture."""


def taken() -> bytes:
    """Home at the width of a laptop, once its figures stand, as a PNG."""
    from playwright.sync_api import sync_playwright

    with TemporaryDirectory(ignore_cleanup_errors=True) as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        with served(Path(folder)) as address:
            page.goto(address)
            page.get_by_role("heading", name=HOME, level=1).wait_for()
            page.locator(".js-plotly-plot .main-svg").nth(FIGURES).wait_for(state="attached")
            page.wait_for_selector(AT_REST)
            page.wait_for_timeout(3000)  # fonts, and the colours of the theme
            picture = page.screenshot()
        browser.close()
    return picture


def main(arguments: list[str] | None = None) -> None:
    """Take the picture."""
    argparse.ArgumentParser(prog="python -m experiments.screenshot", description=__doc__).parse_args(arguments)
    PICTURE.write_bytes(taken())
    print(f"{PICTURE.name}: {PICTURE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
