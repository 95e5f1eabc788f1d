"""What should run now, and why: pure functions of policy, instant, prices and memory."""
