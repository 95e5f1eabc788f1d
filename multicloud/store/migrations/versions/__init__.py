"""One module per revision, never changed after its release."""
