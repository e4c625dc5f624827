"""The one array type of this package."""

import numpy as np
import numpy.typing as npt

__all__ = ["Array", "Indices"]

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]
