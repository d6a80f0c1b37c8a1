"""The standard suite of mechanisms that sampling tools are tried on, with exact answers."""
