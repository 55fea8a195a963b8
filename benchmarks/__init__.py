"""Measurements on real parts: ``python -m benchmarks``."""
