"""Trackers."""
