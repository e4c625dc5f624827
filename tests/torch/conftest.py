"""Settings of the tests of PyTorch."""

import socket
import sys
import warnings

import pytest


@pytest.fixture
def unused_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.fixture(autouse=True)
def _alone() -> None:
    """One thread, for other tests run beside; packages that torch and Lightning import warn of each other."""
    if (torch := sys.modules.get("torch")) is not None:
        torch.set_num_threads(1)
    warnings.filterwarnings("ignore", category=DeprecationWarning)
    warnings.filterwarnings("ignore", category=FutureWarning)
