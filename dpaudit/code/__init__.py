"""The exact law of a sampler's code: it runs on a random source whose draws stay open until the code needs them.

SOUND.md, beside this file, proves that the answer is right.
"""
