"""Files counted by DuckDB: sessions, scans, group by."""
