"""The benchmarks in one run, and the page that shows what it measured."""
