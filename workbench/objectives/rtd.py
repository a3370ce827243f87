"""DiffCSE's conditional replaced-token detection: find the replaced words of a sentence, given its vector."""

from typing import TYPE_CHECKING, Annotated

from workbench.core.errors import BadModel
from workbench.core.method import Knob, Method
from workbench.models.computing import states_of
from workbench.models.language_heads import language_head
from workbench.models.masking import corrupted
from workbench.objectives._checks import check_width
from workbench.objectives._language_models import masked_model, specials

if TYPE_CHECKING:
    from torch import Tensor, nn

    from workbench.models.encoder import Encoder
    from workbench.objectives._batch import Batch


def rtd(
    encoder: "Encoder",
    *,
    generator: Annotated[
        str,
        Knob(
            help="The masked language model that fills in: an embedded id, a folder or a Hub id with the backbone's tokens; "
            "empty: the backbone itself, as it was before training."
        ),
    ] = "",
    rate: Annotated[float, Knob(0.01, 0.9, 0.01, "Share of the tokens that the generator has to fill in.")] = 0.3,
    sample: Annotated[
        bool, Knob(help="Draw its tokens, as the paper says. Off: the likeliest, as the code does.")
    ] = False,
    before_mlp: Annotated[
        bool,
        Knob(help="Use the pooled vector instead of the head's output. Without a head they are the same."),
    ] = False,
    first: Annotated[bool, Knob(help="Also judge the first token, which is never replaced.")] = True,
) -> "nn.Module":
    """Mean binary cross-entropy, in nats, of telling replaced tokens from original ones.

    Some tokens of a text are masked and a frozen masked language model predicts every position; a token that it restores
    counts as original. A discriminator that starts as a copy of the backbone reads the result, with the sentence's vector in
    place of its first token, so that the vector has to describe the sentence. Both views are used. Padding is not counted;
    the official code counts it as not replaced. The weight of the term is the paper's lambda, .005.

    Prefer it over `mlm_aux` when the vector itself has to carry the information about edits: the discriminator reads it. It
    costs passes of a generator and of a discriminator over both views.

    Raises:
        BadModel: the backbone has no masked-language head and no generator is named, the generator's
            tokenizer differs from the backbone's, or the backbone's embeddings are narrower than its vectors.
        MissingResource: the generator is not on this machine.
    """
    import copy

    import torch
    from torch import nn

    frozen = masked_model(encoder, generator, "rtd", "generator")
    width = int(encoder.backbone.get_input_embeddings().weight.shape[1])
    if width != encoder.dim:
        raise BadModel(
            f"rtd puts a vector of {encoder.dim} among embeddings of {width}.", way_out="Use another backbone."
        )
    frozen.requires_grad_(False)

    class Detection(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.discriminator = copy.deepcopy(encoder.backbone).requires_grad_(True)
            self.judge = nn.Linear(int(encoder.backbone.config.hidden_size), 1)
            self.generator = frozen.base_model, language_head(frozen)  # in a tuple: not trained, moved or saved

        def replaced(self, ids: "Tensor", mask: "Tensor", batch: "Batch") -> "tuple[Tensor, Tensor]":
            """The ids after the generator has filled them in, and where they differ from the originals; both (batch, tokens)."""
            masked, _ = corrupted(
                ids,
                specials(ids, mask, encoder.tokenizer),
                rate=rate,
                mask_id=int(encoder.tokenizer.mask_token_id or 0),
                vocabulary=len(encoder.tokenizer),
                generator=batch.generator,
            )

            def fill(masked: "Tensor", mask: "Tensor") -> "Tensor":
                body, head = self.generator
                real = batch.places(mask)
                (states,) = states_of(body, masked, mask)
                # The logits are as wide as the vocabulary, so they are computed for real tokens only.
                logits = head(states[real][None])[0]
                if sample:
                    noise = torch.rand(logits.shape, generator=batch.generator, device=ids.device)
                    # Gumbel noise: the argmax is then a sample. In place, because each tensor is as wide as the vocabulary.
                    logits = logits - noise.clamp_min_(1e-20).log_().neg_().log_()
                return masked.index_put(real, logits.argmax(dim=1))

            found = batch.without_gradient(fill, masked, mask)
            found[:, 0] = ids[:, 0]
            return found, found != ids

        def logits(self, vectors: "Tensor", ids: "Tensor", mask: "Tensor", batch: "Batch") -> "Tensor":
            def judge(vectors: "Tensor", ids: "Tensor", mask: "Tensor") -> "Tensor":
                with batch.precise():
                    (states,) = states_of(self.discriminator, ids, mask, first=vectors)
                    judged: Tensor = self.judge(states)[:, :, 0]
                return judged.float()

            found: Tensor = batch.apart(judge, vectors, ids, mask)
            return found

        def forward(self, vectors: "dict[str, Tensor]", batch: "Batch") -> "tuple[Tensor, dict[str, Tensor]]":
            both = torch.cat([batch.pooled(name) if before_mlp else vectors[name] for name in ("a", "b")])
            check_width("rtd", both, width)
            ids, mask = batch.tokenised(batch.texts("a") + batch.texts("b"))
            found, changed = self.replaced(ids, mask, batch)
            logits = self.logits(both, found, mask, batch)
            places = batch.places(mask, skipped=0 if first else 1)
            said, true = logits[places], changed[places].to(logits.dtype)
            loss = nn.functional.binary_cross_entropy_with_logits(said, true)
            return loss, {"replaced": true.mean(), "accuracy": ((said > 0) == true.bool()).float().mean()}

    return Detection()


METHOD = Method(
    rtd,
    title="DiffCSE, replaced tokens detected from the sentence's vector",
    source="Chuang et al. 2022 (DiffCSE), https://aclanthology.org/2022.naacl-main.311; likeliest token as in their code",
    inputs=("a", "b"),
    tags={"masked": "generator"},
    formula=r"\mathcal{L} = -\frac{1}{|T|} \sum_{t} \left[ r_t \log D(x'', h)_t + (1 - r_t) \log (1 - D(x'', h)_t) \right],\quad "
    r"x'' = G(\tilde{x}),\; r_t = [x''_t \neq x_t]",
)
