"""One module a command: ``Args`` (a frozen dataclass), ``EXAMPLES`` and ``run(args) -> int``; see ``cli.py``."""
