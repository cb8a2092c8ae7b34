"""What the numbers say: who won, whether the paper's three findings hold on this data, and two questions beyond them.

Everything is computed; nothing takes a side.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...learning.methods import METHODS
from ..paper import PAPER_TABLE
from ..standings import Standings, kind, test_accuracy
from ..statistics import Group, Interval
from ..words import interval_words, listed, ordinal, percent, plural, signed, spread_words

ONE_FOLD = "not known from one fold"
RL_ROWS, IL_ROWS = ("mcpg", "ddpg"), ("bc", "dagger")


class Comparison(NamedTuple):
    """By how much the row of one title is more accurate than that of another."""

    first: str
    second: str
    interval: Interval


@dataclass(frozen=True)
class Finding:
    """One of the paper's claims, what this data says of it, and the differences that say so."""

    claim: str
    paper: str
    verdict: str
    comparisons: Sequence[Comparison] = ()


def lead(standings: Standings) -> str:
    """Who won on this data, and where DRAG stands."""
    ranked = standings.ranked()
    if not ranked:
        return "No method has finished yet." if standings.groups else "Nothing is done yet."
    best, drag = ranked[0], standings.named("drag")
    sentences = [_winner(standings, ranked)]
    methods = [group for group in ranked if kind(group) == "method"]
    if methods and methods[0] not in (best, drag):
        sentences.append(f"The best of the methods is {standings.title(methods[0])} ({_accuracy(methods[0])}).")
    if drag is not None:
        sentences.append(_drag_stands(standings, drag, methods[0] if methods[0] is not drag else best))
    return " ".join(sentences)


def orientation(standings: Standings) -> str:
    """What the peers and the lines reach; empty if none was run."""
    peers, lines = standings.ranked(("peer",)), standings.ranked(("line",))
    sentences = [
        f"{name}: {_reached(standings, groups)}." for name, groups in (("Peers", peers), ("Lines", lines)) if groups
    ]
    return " ".join(sentences)


def findings(standings: Standings) -> list[Finding]:
    """The paper's three, in its order; then what it did not ask, where the rows for it were run."""
    more = [value_adds(standings), beyond_the_nine(standings)]
    three = [rl_fails(standings), imitation_works(standings), drag_is_best(standings)]
    return [*three, *(one for one in more if one is not None)]


def rl_fails(standings: Standings) -> Finding:
    """Is reinforcement learning without the oracle no better than a constant label?"""
    claim, paper = "Reinforcement learning alone fails", f"yes ({_paper_words(RL_ROWS)})"
    known = _differences(standings, RL_ROWS, ["majority-set"])
    if not known:
        return Finding(claim, paper, "not known yet; it takes MCPG or DDPG, and the line of the set's majority label")
    if _one_fold(known):
        return Finding(claim, paper, ONE_FOLD, known)
    above = [one.first for one in known if one.interval.is_positive]
    if not above:
        return Finding(
            claim, paper, f"yes; of {listed([one.first for one in known])} none is above a constant label", known
        )
    verdict = "no" if len(above) == len(known) else "in part"
    return Finding(claim, paper, f"{verdict}: {listed(above)} {_be(above)} above a constant label", known)


def imitation_works(standings: Standings) -> Finding:
    """Is imitating the oracle better than a constant label, and than reinforcement learning alone?"""
    claim, paper = "Imitation works", f"yes ({_paper_words(IL_ROWS)})"
    rl = max(_present(standings, RL_ROWS), key=test_accuracy, default=None)
    known = _differences(standings, IL_ROWS, ["majority-set", *([rl.row] if rl is not None else [])])
    if not known:
        return Finding(claim, paper, "not known yet; it takes behaviour cloning or DAgger, and something to beat")
    if _one_fold(known):
        return Finding(claim, paper, ONE_FOLD, known)
    ahead = sum(one.interval.is_positive for one in known)
    verdict = "yes" if ahead == len(known) else "in part" if ahead else "no"
    rivals = listed(["a constant label", *([f"{standings.title(rl)}, the better of the RL methods"] if rl else [])])
    return Finding(claim, paper, f"{verdict}; held against {rivals}", known)


def drag_is_best(standings: Standings) -> Finding:
    """Where does DRAG stand among the nine?"""
    rival_in_paper = max(test for row, (_, test) in PAPER_TABLE.items() if row != "drag")
    claim, paper = "DRAG is the best of the nine", f"yes ({PAPER_TABLE['drag'][1]} % against {rival_in_paper} %)"
    nine, drag = standings.ranked_nine(), standings.named("drag")
    if drag is None or len(nine) < 2:
        return Finding(claim, paper, "not known yet; it takes DRAG and one of its rivals")
    rank = nine.index(drag) + 1
    rival = nine[0] if rank > 1 else nine[1]
    known = _differences(standings, ["drag"], [rival.row])
    if _one_fold(known):
        return Finding(claim, paper, f"{ONE_FOLD}; in it, DRAG is {ordinal(rank)} of {len(nine)}", known)
    sure = any(one.interval.is_positive or one.interval.is_negative for one in known)
    verdict = ("yes" if sure else "perhaps") if rank == 1 else ("no" if sure else "perhaps not")
    others = [interval for group in nine if group is not drag and (interval := standings.difference(drag, group))]
    above, below = sum(one.is_positive for one in others), sum(one.is_negative for one in others)
    counts = f"above {above or 'none'} of its rivals, below {below or 'none'}"
    counts += f", and not to be told from {len(others) - above - below}" if len(others) > above + below else ""
    return Finding(claim, paper, f"{verdict}; it is {ordinal(rank)} of {_of_the_nine(nine)}: {counts}", known)


def value_adds(standings: Standings) -> Finding | None:
    """What does DRAG's value signal add to imitation: the published row minus its control with weight 1?"""
    claim, paper = "The critic's value adds to imitation", "not asked"
    known = _differences(standings, ["drag"], ["drag-control"])
    if not known:
        return None
    if _one_fold(known):
        return Finding(claim, paper, ONE_FOLD, known)
    interval = known[0].interval
    verdict = "yes" if interval.is_positive else "no, it costs accuracy" if interval.is_negative else "not to be told"
    return Finding(claim, paper, f"{verdict}; held against DRAG with 1 in the place of the value", known)


def beyond_the_nine(standings: Standings) -> Finding | None:
    """Is the best of the methods beyond the paper better than each of its nine?"""
    claim, paper = "A method beyond the paper is better than all nine", "not asked"
    nine = standings.ranked_nine()
    others = [group for group in standings.ranked(("method",)) if group not in nine]
    if not nine or not others:
        return None
    known = _differences(standings, [others[0].row], [nine[0].row])
    if _one_fold(known):
        return Finding(claim, paper, ONE_FOLD, known)
    intervals = [interval for group in nine if (interval := standings.difference(others[0], group)) is not None]
    ahead = sum(interval.is_positive for interval in intervals)
    verdict = "no" if ahead < len(nine) else "yes" if len(nine) == len(PAPER_TABLE) else "not known yet"
    title = standings.title(others[0])
    return Finding(claim, paper, f"{verdict}; {title} is above {ahead or 'none'} of {_of_the_nine(nine)}", known)


def _of_the_nine(nine: Sequence[Group]) -> str:
    return "the nine" if len(nine) == len(PAPER_TABLE) else f"the {len(nine)} of them that were run"


def _one_fold(known: Sequence[Comparison]) -> bool:
    """Whether there is but one fold, which says nothing of others."""
    return any(math.isnan(one.interval.low) for one in known)


def _winner(standings: Standings, ranked: Sequence[Group]) -> str:
    best = ranked[0]
    accuracy = best.over_folds("accuracy", "test")
    assert accuracy is not None  # rows without it are not in the standings
    apposition = "" if kind(best) == "method" else " (a peer, not one of the methods)"
    sentence = (
        f"{standings.title(best)}{apposition} is the most accurate here: {spread_words(accuracy)} of the pixels of "
        f"test images are labelled right, over {plural(accuracy.folds, 'fold')}"
    )
    interval = standings.difference(best, ranked[1]) if len(ranked) > 1 else None
    if interval is None:
        return f"{sentence}."
    second = standings.title(ranked[1])
    if interval.is_positive:
        return f"{sentence}. {second} is next, {100 * interval.mean:.1f} points behind."
    return f"{sentence}; but this data cannot tell it from {second} ({_difference(interval)})."


def _drag_stands(standings: Standings, drag: Group, best: Group) -> str:
    """DRAG among the nine, and against the best method, or if it is that itself, the best of all."""
    nine = standings.ranked_nine()
    sentence = f"DRAG, the paper's own, has {_accuracy(drag)} and is {ordinal(nine.index(drag) + 1)} of the paper's "
    sentence += "nine" if len(nine) == len(PAPER_TABLE) else f"nine, of which {len(nine)} were run"
    interval = standings.difference(drag, best) if best is not drag else None
    if interval is None:
        return f"{sentence}."
    title = standings.title(best)
    if interval.is_negative:
        return f"{sentence}, {100 * -interval.mean:.1f} points behind {title} ({interval_words(interval)})."
    return f"{sentence}; it cannot be told from {title} ({_difference(interval)})."


def _difference(interval: Interval) -> str:
    return f"difference {signed(interval.mean)} points, {interval_words(interval)}"


def _accuracy(group: Group) -> str:
    return percent(test_accuracy(group))


def _reached(standings: Standings, groups: Sequence[Group]) -> str:
    return "; ".join(f"{standings.title(group)} {_accuracy(group)}" for group in groups)


def _present(standings: Standings, rows: Sequence[str]) -> list[Group]:
    return [group for row in rows if (group := standings.named(row)) is not None]


def _differences(standings: Standings, rows: Sequence[str], rivals: Sequence[str]) -> list[Comparison]:
    """Each of the rows minus each of the rivals, as far as both were run on the same images."""
    return [
        Comparison(standings.title(group), standings.title(rival), interval)
        for group in _present(standings, rows)
        for rival in _present(standings, rivals)
        if (interval := standings.difference(group, rival)) is not None
    ]


def _paper_words(rows: Sequence[str]) -> str:
    return listed([f"{METHODS[row].title} {PAPER_TABLE[row][1]:.2f} %" for row in rows])


def _be(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"
