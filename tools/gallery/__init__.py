"""The gallery: each kind of picture, made from a paper's own example, and what the paper prints beside it.

Run from the project root as ``python -m tools.gallery`` (``make docs``); the numbers beside each picture are computed.
One file a family of pictures.
"""
