"""The papers' own small matrices and the numbers printed for them: one file a paper."""
