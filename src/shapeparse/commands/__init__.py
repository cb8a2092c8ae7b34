"""One module a command: ``Args`` (a frozen dataclass), ``EXAMPLES``, ``run(args) -> int``; see ``shapeparse.cli``."""
