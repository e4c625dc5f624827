"""The prior for classifiers: prevalence, then right or wrong, then where the wrong predictions go."""
