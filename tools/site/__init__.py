"""The documentation site: reference pages written from the code, and the build of the whole."""
