"""`parse-corpus`: corpora of any size, parsed file by file."""
