import math
from dataclasses import dataclass
from functools import partial

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Config:
    width: int
    heads: int = 4
    depth: int = 2


class Attention(nn.Module):
    scale_by = 2

    def __init__(self, config, causal=True):
        super().__init__()
        assert config.width % config.heads == 0, f"{config.width} by {config.heads}"
        self.heads, self.causal = config.heads, causal
        self.qkv = nn.Linear(config.width, 3 * config.width, bias=False)
        self.out = nn.Linear(config.width, config.width)
        self.register_buffer("mask", torch.tril(torch.ones(64, 64)).view(1, 1, 64, 64))

    @property
    def head_width(self):
        return self.out.in_features // self.heads

    @staticmethod
    def swap(x):
        return x.transpose(1, 2)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = (self.swap(y.view(b, t, self.heads, self.head_width)) for y in self.qkv(x).split(c, dim=2))
        scores = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        if self.causal:
            scores = scores.masked_fill(self.mask[:, :, :t, :t] == 0, float("-inf"))
        y = F.softmax(scores, dim=-1) @ v
        return self.out(self.swap(y).reshape(b, t, c))


class Block(nn.Module):
    def __init__(self, config, norm=nn.LayerNorm):
        super().__init__()
        self.norms = nn.ModuleList([norm(config.width) for _ in range(2)])
        self.attention = Attention(config)
        self.mlp = nn.Sequential(
            nn.Linear(config.width, 4 * config.width), nn.GELU(), nn.Linear(4 * config.width, config.width)
        )

    def forward(self, x):
        x = x + self.attention(self.norms[0](x))
        return x + self.mlp(self.norms[1](x))


class Model(nn.Module):
    def __init__(self, width, vocabulary):
        super().__init__()
        config = Config(width, depth=3)
        self.embed = nn.Embedding(vocabulary, width)
        self.position = nn.Parameter(torch.zeros(1, 64, width))
        self.blocks = nn.ModuleDict({f"b{i}": Block(config, partial(nn.LayerNorm, eps=1e-6)) for i in range(config.depth)})
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, ids, labels=None):
        x = self.embed(ids) + self.position[:, : ids.size(1)]
        for name, block in self.blocks.items():
            x = block(x)
        logits = self.head(x)
        if labels is None:
            return logits
        return logits, F.cross_entropy(logits.view(-1, logits.size(-1)), labels.view(-1))


batch, length = 2, 32


def get_inputs():
    return [torch.randint(0, 100, (batch, length)), torch.randint(0, 100, (batch, length))]


def get_init_inputs():
    return [16, 100]
