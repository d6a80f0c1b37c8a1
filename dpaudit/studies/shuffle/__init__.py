"""What shuffling buys: certified bounds beside the published ones."""
