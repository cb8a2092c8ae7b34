"""Merge the leaves of one label into as few rectangles as possible, exactly.

The union of the leaves is a rectilinear region, possibly with holes and in several pieces. Its smallest
partition into rectangles is known (Lipski et al. 1979; Ohtsuki 1982; Ferrari, Sankar and Sklansky 1984):

    rectangles = reflex vertices - largest set of disjoint chords + pieces - holes,

where a chord is an axis-parallel segment through the region's interior from one reflex (concave) vertex to
another. Every reflex vertex has to be cut; a chord serves two vertices with one cut, so as many chords as
possible are drawn first. Horizontal chords only ever meet vertical ones, so the conflicts form a bipartite
graph, and the largest set without conflict follows from a maximum matching (König's theorem).

All work is done on the compressed grid of the rectangles' own edges: the cost does not depend on the pixel
size. Vertices, lines and edges are those of this grid; the cell in row r and column c of the padded grid has
the vertices (r - 1, c - 1) and (r, c) as opposite corners.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class _Runs(NamedTuple):
    """Maximal straight segments through the interior, parallel to the rows, with a reflex vertex at an end.

    Segment k lies on ``line[k]`` between the vertices ``start[k] < end[k]``. A chord is reflex at both ends.
    """

    line: np.ndarray
    start: np.ndarray
    end: np.ndarray
    reflex_start: np.ndarray
    reflex_end: np.ndarray

    def keep(self, selected: np.ndarray) -> _Runs:
        return _Runs(*(field[selected] for field in self))

    def chords(self) -> _Runs:
        return self.keep(self.reflex_start & self.reflex_end)


def merge_rectangles(rectangles: np.ndarray) -> np.ndarray:
    """Partition the union of disjoint rectangles into the fewest possible rectangles.

    Takes an integer array of shape (n, 4) with a row x, y, w, h for each rectangle (all of one label) and
    returns an int64 array of shape (m, 4): disjoint, with the same union, m minimal, sorted by (y, x).
    """
    rectangles = np.asarray(rectangles, dtype=np.int64).reshape(-1, 4)
    if len(rectangles) == 0:
        return np.empty((0, 4), dtype=np.int64)
    inside, xs, ys = _compress(rectangles)
    horizontal = _runs(inside)
    vertical_chords = _runs(np.ascontiguousarray(inside.T)).chords()
    conflict = _meet(horizontal.chords(), vertical_chords)
    vertical_cuts = vertical_chords.keep(_independent_columns(conflict))
    return _read_rectangles(*_draw_walls(inside, horizontal, vertical_cuts), inside, xs, ys)


def _compress(rectangles: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return which cells are inside, padded by an outside cell all round, and the grid lines' positions."""
    x, y, w, h = rectangles.T
    count = len(rectangles)
    xs, columns = np.unique(np.concatenate([x, x + w]), return_inverse=True)
    ys, rows = np.unique(np.concatenate([y, y + h]), return_inverse=True)
    inside = np.zeros((len(ys) + 1, len(xs) + 1), dtype=bool)
    bounds = (rows[:count] + 1, rows[count:] + 1, columns[:count] + 1, columns[count:] + 1)
    for top, bottom, left, right in zip(*(bound.tolist() for bound in bounds), strict=True):
        inside[top:bottom, left:right] = True
    return inside, xs, ys


def _runs(inside: np.ndarray) -> _Runs:
    """Find the segments parallel to the rows along which a reflex vertex could be cut.

    A unit edge is interior if the cells on both its sides are inside. A maximal run of interior edges ends
    where one of the two cells ahead is outside: a reflex vertex (three of four cells inside) if the other is
    inside, a plain wall if not. So no run passes through a reflex vertex, each such vertex ends exactly one
    run in each direction, and runs on one line never touch. A point where two cells touch only diagonally has
    no interior edge: it is two convex corners, and nothing is connected through it.
    """
    interior = inside[:-1] & inside[1:]
    half_open = inside[:-1] | inside[1:]
    vertices = inside.shape[1] - 1
    # Every row starts and ends outside, so the changes alternate between the start and the end of a run.
    changes = np.flatnonzero(interior[:, 1:] != interior[:, :-1])
    line, start = np.divmod(changes[0::2], vertices)
    end = changes[1::2] - line * vertices
    runs = _Runs(line, start, end, half_open[line, start], half_open[line, end + 1])
    return runs.keep(runs.reflex_start | runs.reflex_end)


def _meet(horizontal: _Runs, vertical: _Runs) -> np.ndarray:
    """Tell for each horizontal and each vertical segment whether they cross, touch or share an end."""
    line, start, end = (field[:, None] for field in horizontal[:3])
    return (start <= vertical.line) & (vertical.line <= end) & (vertical.start <= line) & (line <= vertical.end)


def _independent_columns(conflict: np.ndarray) -> np.ndarray:
    """Tell which columns of a bipartite conflict matrix belong to a largest independent set.

    The set's rows are all those in conflict with none of these columns. König: with Z the vertices that
    alternating paths reach from the rows a maximum matching leaves free, (rows in Z) + (columns not in Z) is
    a largest independent set. The matching grows by one search for each row. The columns seen by a failed
    search can never be on a later augmenting path, so they are dropped for good; all of them make up the
    columns in Z. Sets of columns are bits of Python integers: one operation sees all of a row's neighbours.
    """
    rows, columns = conflict.shape
    packed = np.packbits(conflict, axis=1, bitorder="little")
    neighbours = [int.from_bytes(row.tobytes(), "little") for row in packed]
    partner_of_row, partner_of_column, reached_from = [-1] * rows, [-1] * columns, [-1] * columns
    live = free = (1 << columns) - 1
    for root in range(rows):
        unseen, stack = live, [root]
        while stack:
            row = stack.pop()
            fresh = neighbours[row] & unseen
            if fresh & free:
                column = (fresh & free).bit_length() - 1
                free ^= 1 << column
                reached_from[column] = row
                _augment(column, partner_of_row, partner_of_column, reached_from)
                break
            unseen ^= fresh
            while fresh:
                column = fresh.bit_length() - 1
                fresh ^= 1 << column
                reached_from[column] = row
                stack.append(partner_of_column[column])
        else:
            live = unseen
    return np.array([live >> column & 1 for column in range(columns)], dtype=bool)


def _augment(column: int, partner_of_row: list[int], partner_of_column: list[int], reached_from: list[int]) -> None:
    """Flip the alternating path that ends in the free ``column``; its first row has no partner yet."""
    while column >= 0:
        row = reached_from[column]
        partner_of_column[column] = row
        partner_of_row[row], column = column, partner_of_row[row]


def _draw_walls(inside: np.ndarray, horizontal: _Runs, vertical: _Runs) -> tuple[np.ndarray, np.ndarray]:
    """Return for each cell whether a wall stands above it, and whether one stands left of it.

    Walls are the region's boundary, the chosen vertical chords, and a horizontal cut from every reflex vertex
    not on such a chord, up to the first wall. That draws the chosen horizontal chords in full, as they meet
    no chosen vertical one. Every other horizontal chord meets one, as the set is maximal, so the cuts from
    its two ends stop there.
    """
    above, left = np.zeros_like(inside), np.zeros_like(inside)
    np.not_equal(inside[1:], inside[:-1], out=above[1:])
    np.not_equal(inside[:, 1:], inside[:, :-1], out=left[:, 1:])
    for line, start, end in zip(*(field.tolist() for field in vertical[:3]), strict=True):
        left[start + 1 : end + 1, line + 1] = True
    meets = _meet(horizontal, vertical)
    far = inside.shape[1]
    first = np.where(meets, vertical.line, far).min(axis=1, initial=far)
    last = np.where(meets, vertical.line, 0).max(axis=1, initial=0)
    # A cut from the start runs to ``first`` and one from the end back to ``last``; both may be of no length.
    first = np.where(horizontal.reflex_start, np.minimum(first, horizontal.end), horizontal.start)
    last = np.where(horizontal.reflex_end, np.maximum(last, horizontal.start), horizontal.end)
    fields = (horizontal.line, horizontal.start, first, last, horizontal.end)
    for line, start, to, back, end in zip(*(field.tolist() for field in fields), strict=True):
        above[line + 1, start + 1 : to + 1] = True
        above[line + 1, back + 1 : end + 1] = True
    return above, left


def _read_rectangles(
    above: np.ndarray, left: np.ndarray, inside: np.ndarray, xs: np.ndarray, ys: np.ndarray
) -> np.ndarray:
    """Read off the rectangles between the walls: each has one cell with walls above and left of it."""
    rows, columns = np.nonzero(inside & above & left)
    right = _next_wall(left, rows, columns)
    bottom = _next_wall(np.ascontiguousarray(above.T), columns, rows)
    x, y = xs[columns - 1], ys[rows - 1]
    return np.stack([x, y, xs[right - 1] - x, ys[bottom - 1] - y], axis=1)


def _next_wall(walls: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return the first column right of each cell with a wall in its row; the boundary is always one."""
    positions = np.flatnonzero(walls)
    row_starts = rows * walls.shape[1]
    following = np.searchsorted(positions, row_starts + columns, side="right")
    return np.asarray(positions[following] - row_starts)
