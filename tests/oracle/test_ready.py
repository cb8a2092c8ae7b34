"""Kernels that are compiled before they are needed."""

from __future__ import annotations

import numpy as np

from shapeparse import igm
from shapeparse.oracle import kernels, ready


def test_once_the_oracle_is_ready_masks_of_whole_words_need_no_more_compiling():
    ready.ready_oracle()
    compiled = {name: len(one.signatures) for name, one in vars(kernels).items() if hasattr(one, "signatures")}
    for lookahead in (0, 2):
        igm(np.eye(12, dtype=bool), depth=4, lookahead=lookahead, price=0.01)
    assert sum(compiled.values()) > 0
    assert {name: len(getattr(kernels, name).signatures) for name in compiled} == compiled


def test_whoever_waits_is_told_why_and_whoever_does_not_is_not(monkeypatch, capsys):
    ready.ready_oracle()
    assert capsys.readouterr() == ("", "")

    def slow(*_: object, **__: object) -> None:
        import time

        time.sleep(1.2)

    monkeypatch.setattr(ready, "igm", slow)
    ready.ready_oracle()
    assert "Compiling" in capsys.readouterr().err
