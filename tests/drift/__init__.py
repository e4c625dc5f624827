"""Drift between two periods."""
