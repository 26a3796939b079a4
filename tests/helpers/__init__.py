"""What several tests share: paths, small models, slow twins of fast code, strategies."""
