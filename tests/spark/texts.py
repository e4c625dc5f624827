"""Text files that Spark by itself would misread: sound ones, and ones to reject with a reason."""

SOUND_TEXT = {
    "lf.csv": b'gold,said\na,b\n\n,\nc,""\n',
    "crlf.csv": b'gold,said\r\n"a,1","b ""x"""\r\n\r\nc\'d,\xf0\x9f\x98\x80\r\n',
    "bom.csv": b"\xef\xbb\xbfgold,said\n\xc3\xa9,a",
    "blanks.tsv": b"gold\tsaid\n\t\n a \tb\n",
    "packed.csv.gz": b"said|x|gold\na|1|b\n",
    "again.csv": b"gold,said\ngold,b\n#a,\\N\n",
    "fold=\u00e9%201/log.csv": b"gold,said\n\xc3\xa9,a\n",
    "p%20q [1]{a,b}*.csv": b"gold,said\na,b\n",
}
UNSOUND_TEXT = {
    "header again": (b"gold,said\na,b\ngold,said\n", "has its header again among its rows"),
    "a field too many": (b"gold,said\na,b\na,b,c\n", "not the 2 fields of the header.*: a,b,c$"),
    "a field too few": (b"gold,said\na\n", "not the 2 fields"),
    "open quote in front": (b'gold,said\n"a,b\nc,d\n', "not the 2 fields"),
    "open quote at the end": (b'gold,said\na,"b\nc,d', "not the 2 fields"),
    "open quote in a field too many": (b'gold,said\na,b,"c\n', "not the 2 fields"),
    "text behind a quote": (b'gold,said\n"a"b,c\n', "goes on behind its quote"),
    "blanks before a quote": (b'gold,said\n "a",c\n', "blanks before its quote"),
    "latin-1": (b"gold,said\n" + (b"a" * 60 + b",b\n") * 20_000 + b"caf\xe9,b\n", r"is not UTF-8 text \(b'caf"),
    "CRLF inside quotes": (b'gold,said\r\n"a\r\nb",c\r\n', "line end inside"),
    "lone CR": (b"gold,said\na\rb,c\n", "line end inside"),
    "weight in words": (b"gold,said,w\na,b,1.5f\n", "has the weight '1.5f', which is no number$"),
}
