"""The tests; a package, so that no installed library with a folder of this name hides them."""
