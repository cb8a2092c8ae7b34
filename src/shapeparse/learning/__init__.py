"""How a parser learns."""
