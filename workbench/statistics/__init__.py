"""Statistics of scores: rank correlation, bootstrap over pairs, spread over seeds."""
