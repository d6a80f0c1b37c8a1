"""The independent verifier of certificates: its own arithmetic, its own definitions, nothing of the engine.

Read in this order: interval.py (the arithmetic), laws.py (the definitions), tables.py (mechanisms
that the certificate holds itself), reading.py, part.py and check.py (what is checked); normal.py, notions.py,
moments.py, trade_offs.py and notion_check.py (other notions of privacy).
It uses the standard library alone; of dpaudit it shares only the strict reading of JSON.
"""
