"""The compiled parts; where they cannot be built, all else works and does their work more slowly."""

import sysconfig
from pathlib import Path

from setuptools import Extension, setup

stable = not sysconfig.get_config_var("Py_GIL_DISABLED")  # builds without the lock have no stable interface


def compiled(name: str, *sources: str) -> Extension:
    """One compiled part of the sources in native/."""
    return Extension(
        name,
        [f"native/{source}.c" for source in sources],
        depends=sorted(map(str, Path("native").glob("*.h"))),
        py_limited_api=stable,
        optional=True,
    )


setup(
    ext_modules=[
        compiled("infoscope.readers._packed", "module", "chunks", "codes", "headers", "snappy", "values"),
        compiled("infoscope._kernels", "kernels", "decimals", "ranking"),
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}} if stable else {},
)
