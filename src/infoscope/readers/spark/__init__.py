"""Files and frames of Spark."""
