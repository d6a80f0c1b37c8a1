"""The standard benchmark suite of sampling tools, with exact answers."""
