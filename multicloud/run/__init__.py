"""Whole runs: inputs read, decided, rendered, given to the engine, recorded."""
