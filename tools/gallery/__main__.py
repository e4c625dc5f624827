"""Write docs/reference/gallery.md and its pictures."""

from tools.gallery.page import write

if __name__ == "__main__":
    write()
