"""The commands, one module each; loaded when they are used."""
