"""Mechanisms written with the small protocol for your own: right ones, and wrong ones that the audit catches.

Run one with ``dpaudit epsilon --mech dpaudit.examples.geometric:TruncatedGeometric --eps 1/2 --n 20``.
"""
