"""What proves a sign-in.

access         short-lived, signed, bound to a sign-in; read without the database, then looked up
signing_keys   what signs them: made, rotated with overlap, published
refresh        long-lived, opaque, spent once for one successor
"""
