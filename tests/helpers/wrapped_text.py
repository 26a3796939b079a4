"""A text whose lines are wrapped: four sentences in two paragraphs."""

WRAPPED = """\
The old baker of the village sells fresh bread and sweet
cakes from a small shop beside the river. Nobody knows how
early he has to rise, since nobody else is awake by then.

His daughter helps him on Saturdays, when people come from
the other villages too. A dog barks.
"""
