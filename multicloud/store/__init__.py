"""What outlives a run: the store, its migrations, and the lock of each policy.

Nothing is imported here: `store.lock` and `store.location` stay free of SQLAlchemy.
"""
