import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, inputs, hidden, experts=4, top=2):
        super().__init__()
        self.hidden = hidden
        self.lstm = nn.LSTM(inputs, hidden, num_layers=2, bidirectional=True, batch_first=True)
        self.cell = nn.GRUCell(2 * hidden, hidden)
        self.gate = nn.Linear(hidden, experts)
        self.experts = nn.ModuleList(nn.Linear(hidden, hidden) for _ in range(experts))
        self.top = top
        self.w = nn.Parameter(torch.randn(hidden, hidden))

    def forward(self, x, state=None):
        out, (h, c) = self.lstm(x)
        state = torch.zeros(x.size(0), self.hidden, device=x.device) if state is None else state
        states = []
        for t in range(out.shape[1]):
            state = self.cell(out[:, t, :], state)
            states.append(state)
        y = torch.stack(states, dim=1)
        weights, chosen = torch.topk(self.gate(y).softmax(-1), self.top, dim=-1)
        mixed = torch.stack([expert(y) for expert in self.experts], dim=2)
        index = chosen.unsqueeze(-1).expand(-1, -1, -1, self.hidden)
        y = (mixed.gather(2, index) * weights.unsqueeze(-1)).sum(dim=2)
        i = 0
        while i < 3:
            y = torch.einsum("bth,hk->btk", y, self.w).tanh()
            i += 1
        return y, h.mean(), c[-1]


def get_inputs():
    return [torch.rand(3, 7, 5)]


def get_init_inputs():
    return [5, 6]
