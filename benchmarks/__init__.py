"""Measurements of accuracy, speed and memory; ``docs/benchmarks.md`` lists them."""
