"""Kernels that are compiled before they are needed, and what users who wait for that are told."""

from __future__ import annotations

import numba as nb
import numpy as np
import pytest

from shapeparse import igm
from shapeparse.oracle import kernels, ready


def test_once_the_oracle_is_ready_nothing_is_left_to_compile():
    ready.ready_oracle()
    compiled = {name: len(one.signatures) for name, one in vars(kernels).items() if hasattr(one, "signatures")}
    for lookahead in (0, 2):
        igm(np.eye(12, dtype=bool), depth=4, lookahead=lookahead, price=0.01)
    assert sum(compiled.values()) > 0
    assert {name: len(getattr(kernels, name).signatures) for name in compiled} == compiled


def test_who_need_not_wait_is_told_nothing(capsys: pytest.CaptureFixture[str]):
    ready.ready_oracle()
    capsys.readouterr()
    ready.ready_oracle()
    assert capsys.readouterr() == ("", "")


def test_who_waits_for_kernels_to_be_compiled_is_told_once(capsys: pytest.CaptureFixture[str]):
    with ready.explained_compiling("Compiling"):
        nb.njit(lambda x: x + 1)(1)
        nb.njit(lambda x: x + 2)(1)
    assert capsys.readouterr() == ("", "Compiling\n")
