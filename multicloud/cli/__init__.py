"""The command line: one file per verb, each a thin wire between arguments, runs and reports."""
