"""Infoscope."""
