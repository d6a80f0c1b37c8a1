"""How accurate a mechanism is on one data set, exactly, and the bounds that the documents state."""
