"""A ready test suite for any engine: `pytest --pyargs refute.suite --refute-engine ./mine`."""
