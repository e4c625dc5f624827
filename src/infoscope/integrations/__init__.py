"""Other people's frameworks: scikit-learn, PyTorch, MLflow and experiment trackers. Nothing here computes a score."""
