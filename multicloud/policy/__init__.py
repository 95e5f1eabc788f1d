"""The policy language: text to compiled policy, and the truth of its conditions."""
