"""What knows no table: declared checks of arguments, and what else every room may use."""
