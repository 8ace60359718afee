# Classifies a short clip: a convolution per frame, an LSTM over time, attention over the
# states. A module of our own, to try `kidx inspect` on.
import torch
import torch.nn as nn
import torch.nn.functional as F

batch_size = 8
frames = 16
channels = 3
size = 64
width = 256
heads = 4
layers = 3


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.norm = nn.LayerNorm(width)

    def forward(self, x):
        b, t, w = x.shape
        q, k, v = self.qkv(self.norm(x)).chunk(3, dim=-1)
        q, k, v = (y.view(b, t, self.heads, w // self.heads).transpose(1, 2) for y in (q, k, v))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return x + self.out(y.transpose(1, 2).reshape(b, t, w))


class Model(nn.Module):
    def __init__(self, channels, width, heads, layers):
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(channels, width, kernel_size=8, stride=8),
            nn.ReLU(),
            nn.AdaptiveAvgPool2d(1),
        )
        self.over_time = nn.LSTM(width, width, batch_first=True)
        self.blocks = nn.ModuleList([Block(width, heads) for _ in range(layers)])
        self.head = nn.Linear(width, 10)

    def forward(self, clip):
        b, t, c, h, w = clip.shape
        x = self.stem(clip.reshape(b * t, c, h, w)).view(b, t, -1)
        x, _ = self.over_time(x)
        for block in self.blocks:
            x = block(x)
        return self.head(x[:, -1])


def get_inputs():
    return [torch.randn(batch_size, frames, channels, size, size)]


def get_init_inputs():
    return [channels, width, heads, layers]
