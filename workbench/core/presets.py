"""Defaults: the only code that names methods and recipes, so that none is a special case elsewhere."""

RECIPE = "simcse_unsup"
"""Of a training."""
PRETRAINING = "mlm_continue"
"""The recipe of a pretraining."""
NEGATIVES = "augcse_neg"
"""The recipe that takes a tournament's augmentations as negatives."""
LOSS = "infonce_nn"
"""For a question about contrast as such, and inside losses and objectives that apply another; most are a change of it."""
POOLING = "mean"
"""Of a backbone that does not say how it is pooled."""
TARGET = "minilm-l3"
"""Of a question about an encoder."""
MASKED = "mini-mlm"
"""Of a question about a masked language model."""
SUITE = "sts"
"""Of an evaluation."""
PIPELINES = {"augment_a": "eda_swap"}
"""What Augment shows first, by the names of the views in the address."""
COMPARED = ("eda_swap", "eda_delete", "token_cutoff", "feature_cutoff")
"""Augmentations whose gradients are compared first."""
JUDGED = ("eda_swap", "eda_delete", "typo_noise", "una_negative")
"""Augmentations that are judged first: three that should keep the meaning, and one that should not."""
ENTRANTS = ("eda_delete", "eda_swap", "typo_noise", "case_noise")
"""Augmentations of a tournament."""
