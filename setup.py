"""The one compiled part; where it cannot be built, all else works and the engine counts in its place."""

from setuptools import Extension, setup

names = ("module", "chunks", "codes", "headers", "snappy")
packed = Extension(
    "infoscope.readers._packed",
    [f"native/{name}.c" for name in names],
    depends=[f"native/{name}.h" for name in ("bytes", "chunks", "codes", "headers", "runs", "snappy")],
    py_limited_api=True,
    optional=True,
)
setup(ext_modules=[packed], options={"bdist_wheel": {"py_limited_api": "cp311"}})
