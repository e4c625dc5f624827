"""Dirichlet beliefs, and the exact moments of entropies under them."""
