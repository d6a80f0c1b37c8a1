"""Is there a counterexample in a region of settings?"""
