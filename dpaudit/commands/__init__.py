"""The command line: one module a command, each a thin shell over one call of the API."""
