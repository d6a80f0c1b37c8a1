"""Theorems instead of instances: every epsilon, every n, every prior of a box.

``ranged`` is a setting in which one of them is not a single value; ``dispatch`` finds its theorem.
"""
