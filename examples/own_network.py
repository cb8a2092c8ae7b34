"""A network of one's own: any module that makes a feature map of an image, under the heads of shapeparse.

python examples/own_network.py photos run
shapeparse --import examples/own_network.py evaluate run
shapeparse --import examples/own_network.py benchmark --data photos --preset tiny --methods bc --out comparison
"""

import sys

from torch import Tensor, nn

import shapeparse


class TinyEncoder(nn.Module):
    """Three convolutions, down to an eighth of the image's side."""

    def __init__(self, width: int) -> None:
        super().__init__()
        layers = [nn.Conv2d(3, width, 5, 2, 2), nn.ReLU(), nn.Conv2d(width, width, 5, 2, 2), nn.ReLU()]
        self.layers = nn.Sequential(*layers, nn.Conv2d(width, width, 3, 2, 1))

    def forward(self, images: Tensor) -> Tensor:
        """(images, width, side / 8, side / 8)."""
        features: Tensor = self.layers(images)
        return features


shapeparse.register_encoder("tiny-encoder", TinyEncoder)
TINY = shapeparse.Preset("shared", encoder="tiny-encoder", encoder_settings={"width": 16}, channels=16, look=128)
shapeparse.register_preset("tiny", TINY)

if __name__ == "__main__":
    photos, run = sys.argv[1:]
    parser = shapeparse.train(photos, method="dagger", preset=TINY, epochs=2, out=run)
    print(f"{parser.evaluate(photos).accuracy.mean():.1%} of the pixels right")
    print(shapeparse.load(run).parse(f"{photos}/images/0000.jpg"))  # needs the registration above
