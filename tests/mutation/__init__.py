"""Mutation testing of the engine's arithmetic: break the code in every small way and see the tests go red."""
