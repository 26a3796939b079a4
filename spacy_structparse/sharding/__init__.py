"""Corpora of any size, parsed shard by shard: what is finished stays, what is missing is parsed."""
