"""Refuse an old Python in one sentence.

The scripts import this before any other module of build/, because those use syntax that an old Python cannot
even parse. Keep it, and the scripts' own first lines, plain.
"""

import sys

OLDEST = (3, 11)

if sys.version_info < OLDEST:
    needed, found = ".".join(map(str, OLDEST)), ".".join(map(str, sys.version_info[:2]))
    sys.exit("Zengram's scripts need Python " + needed + " or newer, and this is Python " + found + ".")
