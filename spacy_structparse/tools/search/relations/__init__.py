"""The relations of Tregex, over the arrays of a `Forest`."""
