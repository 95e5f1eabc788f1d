"""Benchmarks: programs that print figures beside a peer or a floor of the same run."""
