"""How pictures are drawn: marks on a panel, and the panel as SVG or on axes of matplotlib."""
