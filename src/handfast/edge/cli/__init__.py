"""The ``handfast`` command.

Exit codes, for scripts: 0 done · 1 unexpected · 2 wrong usage · 3 settings · 4 this machine
(data folder, disk, port) · 5 database · 6 migrations · 7 doctor found something · 130 interrupted.
"""

from handfast.edge.cli.app import main

__all__ = ["main"]
