"""Events delivered to other people's endpoints, at least once, signed."""
