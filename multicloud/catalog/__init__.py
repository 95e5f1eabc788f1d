"""Facts and prices: GPUs, clouds, offers, and a market that answers a pool's query."""
