"""Tools that use the parsers, each with its own commands. The rest of the package needs none."""
