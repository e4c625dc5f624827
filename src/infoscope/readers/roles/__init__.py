"""Which columns hold what, where nobody named them: contents, evidence and questions."""
