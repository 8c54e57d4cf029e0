"""Guarantees that several capabilities share: one package each, none knows another."""
