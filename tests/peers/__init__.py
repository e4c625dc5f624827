"""Other libraries as judges: every metric that scikit-learn, SciPy or PyCM has too."""
