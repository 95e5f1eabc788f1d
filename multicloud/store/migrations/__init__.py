"""Alembic environment of the store; `store.schema` runs it."""
