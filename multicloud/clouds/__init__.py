"""The clouds themselves, by their SDKs: one file per cloud, imported only when used."""
