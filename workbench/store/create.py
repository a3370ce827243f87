"""Creates run folders: each is complete before it becomes visible."""

import shutil
import tempfile
from pathlib import Path

from workbench.core.config import RunConfig, to_toml
from workbench.core.private import make_folder
from workbench.core.writing import place_folder, write_json, write_text
from workbench.store import events, names
from workbench.store.environment import environment
from workbench.store.run import Run


def create(folder: names.RunsFolder, config: RunConfig, **where: object) -> Run:
    """Write configuration, environment and the first event to a new run folder; the run is then `queued`.

    `where` are details of that event: the cluster that it is queued for.
    """
    make_folder(folder.jobs)
    draft = Path(tempfile.mkdtemp(prefix="new-", dir=folder.jobs))
    try:
        write_text(draft / names.CONFIG, to_toml(config))
        write_json(draft / names.ENVIRONMENT, environment())
        events.add(draft, events.QUEUED, **where)
        while True:
            of = config.recipe, config.model.backbone, config.training.seed
            path = folder.path / names.new_id(*of, newest=folder.newest_names())
            if not path.exists():
                break
        place_folder(draft, path)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    return Run(path)
