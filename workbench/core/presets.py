"""Defaults. No other code names methods and recipes, so none is a special case elsewhere."""

RECIPE = "simcse_unsup"
"""The default recipe of a training run."""
PRETRAINING = "mlm_continue"
"""The recipe of a pretraining run."""
NEGATIVES = "augcse_neg"
"""The recipe that uses a tournament's augmentations as negatives."""
LOSS = "infonce_nn"
"""The default loss, also inside losses and objectives that wrap another loss; most other losses are variants of it."""
POOLING = "mean"
"""The pooling of a backbone that does not specify one."""
TARGET = "mini-mlm"
"""The default backbone of a training run and the default encoder to analyse."""
GOLD_TARGETS = ("mini-mlm", "tfidf")
"""The encoders whose disagreement chooses pairs for people to rate: one that knows words in context, and one that counts them."""
TARGET_POOLING = "last2"
"""Its pooling, chosen by trials on demo:dev: see `python -m experiments.trials`."""
MASKED = "mini-mlm"
"""The default masked language model."""
SUITE = "sts"
"""The default evaluation suite."""
PIPELINES = {"augment_a": "eda_swap"}
"""The pipelines that Augment shows at first, keyed by the view's name in the URL."""
COMPARED = ("eda_swap", "eda_delete", "token_cutoff", "feature_cutoff")
"""The augmentations whose gradients are compared by default."""
JUDGED = ("eda_swap", "eda_delete", "typo_noise", "una_negative")
"""The augmentations that are judged by default: three that should keep the meaning, and one that should not."""
ENTRANTS = ("eda_delete", "eda_swap", "typo_noise", "case_noise")
"""The default entrants of a tournament."""
