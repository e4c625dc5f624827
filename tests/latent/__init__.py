"""Latent truth: systems without labels."""
