"""``python -m shapeparse``: the command line, for when its script is not on the path."""

import sys

from .commands.cli import process

sys.exit(process())
