"""Parts that views are made of: tables, sentences and pictures of one subject each."""
