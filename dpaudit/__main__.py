"""``python -m dpaudit``."""

from dpaudit.cli import run

run()
