import torch
import torch.nn as nn
import torch.nn.functional as F


def make(channels, *, act="relu", **keywords):
    layers = []
    for i, (a, b) in enumerate(zip(channels[:-1], channels[1:])):
        layers += [nn.Conv2d(a, b, 3, padding=1, **keywords), nn.BatchNorm2d(b)]
        if i < len(channels) - 2 and act == "relu":
            layers.append(nn.ReLU(inplace=True))
    return nn.Sequential(*layers)


class Model(nn.Module):
    def __init__(self, channels, groups=1):
        super(Model, self).__init__()
        self.stem = make(channels, bias=False, groups=groups)
        self.up = nn.ConvTranspose2d(channels[-1], 8, 4, stride=2, padding=1)
        self.pool = nn.AdaptiveAvgPool2d((1, 1))
        self.unused = nn.Linear(3, 3)
        self.scale = nn.Parameter(torch.ones(8, 1, 1))
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight)

    def forward(self, x, skip):
        y = self.stem(x[:, :, ::2, 1:-1])
        dead = y @ y.transpose(-1, -2)
        y = self.up(y)
        y *= self.scale
        y = torch.cat([y, F.interpolate(skip, size=y.shape[-2:])], dim=1)
        y[:, 0] = 0
        out = self.pool(y).flatten(1)
        return {"features": out, "map": [y, None]}


def get_inputs():
    return [torch.rand(2, 4, 16, 12), torch.rand(2, 2, 5, 5)]


def get_init_inputs():
    return [[4, 8, 16], 2]
