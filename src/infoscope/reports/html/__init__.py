"""Pages: one file that opens anywhere, offline, with or without JavaScript."""
