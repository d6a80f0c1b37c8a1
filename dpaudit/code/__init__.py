"""The exact law of a sampler's code: it is run on a random source whose draws stay open until the code asks of them.

SOUND.md, beside this file, proves that the answer is right.
"""
