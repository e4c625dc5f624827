"""The one compiled part; where it cannot be built, all else works and the engine counts in its place."""

import sysconfig

from setuptools import Extension, setup

names = ("module", "chunks", "codes", "headers", "snappy", "values")
stable = not sysconfig.get_config_var("Py_GIL_DISABLED")  # builds without the lock have no stable interface
packed = Extension(
    "infoscope.readers._packed",
    [f"native/{name}.c" for name in names],
    depends=[f"native/{name}.h" for name in ("bytes", "chunks", "codes", "headers", "runs", "snappy", "values")],
    py_limited_api=stable,
    optional=True,
)
setup(ext_modules=[packed], options={"bdist_wheel": {"py_limited_api": "cp311"}} if stable else {})
