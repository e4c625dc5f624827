"""Pictures: coordinates first, then the drawing."""
