"""What training needs besides the parsers: safe saving, word vectors."""
