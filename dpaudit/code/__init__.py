"""The exact law of a sampler's code: it is run on a random source whose draws stay open until the code asks of them.

The argument why the answer is right stands in SOUND.md beside this file.
"""
