"""A request that is sent twice is carried out once, and answered twice."""
