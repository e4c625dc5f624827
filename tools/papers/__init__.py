"""The papers' gallery: a page for each work, its tables and figures from our code beside what is printed."""
