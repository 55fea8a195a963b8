"""An extractor without a network or a model: see ``extractor.LocalExtractor``."""

from .extractor import DATED, RULES, Finder, LocalExtractor

__all__ = ["DATED", "RULES", "Finder", "LocalExtractor"]
