"""What is shown of each kind of result: one function ``outline`` per kind."""
