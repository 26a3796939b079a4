"""Tools of training: safe saving, averaging, word vectors."""
