"""How much noise can be saved."""
