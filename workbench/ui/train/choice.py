"""The first two choices of a run: its recipe and its backbone."""

from workbench import api
from workbench.core import presets
from workbench.recipes import Recipe
from workbench.ui.kit.address import choose, follow_default
from workbench.ui.kit.notices import quiet
from workbench.ui.targets.choice import pretrained
from workbench.ui.targets.names import run_name


def pick_recipe() -> Recipe:
    """The recipe, kept in the address; those that pretrain a language model stand together at the end."""
    known = api.recipes()
    recipe = known[
        choose(
            "Recipe",
            sorted(known, key=lambda name: known[name].pretrains),
            key="recipe",
            start=presets.RECIPE,
            shown=lambda name: f"{'Pretraining: ' if known[name].pretrains else ''}{known[name].title}",
        )
    ]
    quiet(recipe.summary)
    before = " or ".join(recipe.after)
    notes = (("Goes on from a run of", before), ("Also needs", recipe.resource), ("Made for", recipe.backbone))
    for said, what in notes:
        if what:
            quiet(f"{said} {what}.")
    return recipe


def pick_backbone(recipe: Recipe) -> str:
    """The backbone, kept in the address. It follows the recipe for as long as nobody has chosen another."""
    from workbench.models.cards import EMBEDDED, default_backbone

    firsts = {run.id: f"{run.label}: a run of {run.config.recipe}, gone on from" for run in api.first_stages(recipe)}
    start = follow_default("backbone", next(iter(firsts), default_backbone(recipe.backbone)))
    named_ = firsts | {name: f"{name}: {card.title}" for name, card in EMBEDDED.items()}
    named_ |= {str(folder): f"{run_name(run)}: pretrained here" for run, folder in pretrained().items()}
    backbone = choose(
        "Backbone",
        list(named_),
        key="backbone",
        start=start,
        shown=lambda name: named_.get(name, name),
        typed=True,
        help="The listed ones are built in or were pretrained here. Any Hugging Face id or local model folder can be "
        "typed in (safetensors only).",
    )
    quiet(
        EMBEDDED[backbone].note
        if backbone in EMBEDDED
        else "The best checkpoint of that run."
        if backbone in firsts
        else "Read from its own folder, or from the Hugging Face Hub: downloaded once, then kept in its cache. No code of the "
        "model is run."
    )
    return backbone
