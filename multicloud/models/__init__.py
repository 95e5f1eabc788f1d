"""The program's vocabulary: frozen values without behaviour that needs IO, clock or SDK."""
