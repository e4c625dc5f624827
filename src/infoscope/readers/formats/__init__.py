"""What files may hold: formats, compression and encodings, and those that are converted before an engine reads them."""
