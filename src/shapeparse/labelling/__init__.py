"""Label photographs in the browser: correct proposals, and let a parser learn from what was accepted."""
