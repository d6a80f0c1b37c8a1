"""How long the certified answer takes, as ratios to what a user would do instead, all measured in one run."""
