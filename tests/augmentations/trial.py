"""Test texts, and the ids of the methods that use a model, by kind of model."""

from hypothesis import strategies as st

DOG = "The dog runs in the park."
MAN = "The young man eats slowly and the old woman plays the guitar"
TEXTS = [DOG, "A cat sleeps", MAN, "the dog", "dog", " a  red\tball "]
ODD = [
    "",
    " \n",
    "👩‍👩‍👧 🎉",
    "שלום עולם",
    "今天天气很好",
    "\x00 \ud800 x",
    "the " * 3000,
    "\ue000",
    "a \ue000, dog",
    "[MASK] </s>",
    "3.5 %",
]
SEEDS = st.integers(0, 10_000)
WRITERS = [
    "paraphrase_pegasus",
    "paraphrase_t5",
    "back_translation",
    "summary_bart",
    "augcse_diverse_paraphrase",
    "augcse_casual2formal",
]
FILLERS = ["contextual_word", "augcse_random_contextual_word_augmentation"]
NEAREST = ["embedding_word", "augcse_random_word_emb_augmentation"]
