"""Actions drawn by chance: rules of given probabilities, and locations around mu."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..grammar import Actions, Nodes, Rule
from ..networks.policy import PolicyOutput
from ..parsing.actors import along_split_axis


def draw_rules(probability: npt.NDArray[np.float64], rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """A rule for each row of (nodes, 4) probabilities; one of probability 0 is never drawn, not even by a draw of 0.

    Rounding may let a row sum to a little less than 1; what is missing goes to the last rule, which is always valid.
    """
    drawn = (probability.cumsum(axis=1) <= rng.random((len(probability), 1))).sum(axis=1)
    return np.minimum(drawn, len(Rule) - 1)


def draw_actions(
    nodes: Nodes,
    output: PolicyOutput,
    probability: npt.NDArray[np.float64],
    spread: float | None,
    rng: np.random.Generator,
) -> Actions:
    """An action at each node: a rule of these probabilities, and a location whose logit strays by ``spread``.

    Without a ``spread`` it is the policy's own, that of the logit-normal.
    """
    rule = draw_rules(probability, rng)
    sigma = np.exp(along_split_axis(output.split_log_sigma, rule)) if spread is None else spread
    logit = along_split_axis(output.split_logit, rule) + rng.standard_normal(len(nodes)) * sigma
    return Actions.at_locations(nodes, rule, 1 / (1 + np.exp(-logit)))
