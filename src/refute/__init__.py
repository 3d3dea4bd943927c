"""refute: find the first move a chess move generator gets wrong."""

__version__ = "0.1.0"
