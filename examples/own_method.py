"""A method of one's own: DAgger that looks hardest at the nodes it finds hardest (a focal loss).

python examples/own_method.py photos run
shapeparse --import examples/own_method.py benchmark --data photos --methods focal-dagger dagger --out comparison
"""

import sys
from dataclasses import replace

import shapeparse
from shapeparse.learning import losses
from shapeparse.learning.batch import Batch
from shapeparse.learning.policy_losses import Loss


def focal_imitation(batch: Batch) -> Loss:
    """Cross-entropy of the oracle's rule, less where the policy is sure of it, and the squared distance of its cut."""
    rule, location = batch.advice
    log_probability = losses.chosen(batch.output.log_rule, rule)
    hard = (1 - log_probability.exp().detach()) ** 2
    distance = losses.is_split(rule) * (losses.at_axis(batch.output.location, rule) - location) ** 2
    loss = (-hard * log_probability + batch.settings.split_weight * distance).mean()
    return loss, {"hardness": hard.mean().item()}  # a column of metrics.csv


FOCAL = replace(shapeparse.METHODS["dagger"], title="Focal DAgger", policy_loss=focal_imitation)
shapeparse.register_method("focal-dagger", FOCAL)

if __name__ == "__main__":
    photos, run = sys.argv[1:]
    tell = {"callback": lambda row: print(row["hardness"])}
    parser = shapeparse.train(photos, method=FOCAL, preset="fast", epochs=2, out=run, **tell)
    print(f"{parser.evaluate(photos).accuracy.mean():.1%} of the pixels right")
    print(parser.parse(f"{photos}/images/0000.jpg"))
