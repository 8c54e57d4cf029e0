"""Verification: proof that a person is who the profile says.

provider     who looks at the picture: the interface, and what it may say
development  the built-in one, which looks at nothing that matters, and says so
review       without a provider in production: people look
sessions     a session from its start to its verdict, and how often one may fail
"""
