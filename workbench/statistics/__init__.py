"""How sure one may be of a score: rank correlation, bootstrap over pairs, spread over seeds."""
