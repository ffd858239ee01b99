"""Iterations of two networks on batches of one sequence length: logs for trainplan seqpoint."""
import torch
from torch import nn

from operators import random
from rows import STEP_BATCH

LAYERS = {"lstm": 4, "encoder": 6}
WIDTH = {"lstm": 1024, "encoder": 512}
HEADS = 8
# fp16: cuDNN has fused LSTMs of it in every version; of bf16 PyTorch may run a kernel a step.


def network_of(kind):
    width = WIDTH[kind]
    if kind == "lstm":
        network = nn.LSTM(width, width, LAYERS[kind], batch_first=True)
    else:
        layer = nn.TransformerEncoderLayer(width, HEADS, 4 * width, dropout=0, batch_first=True)
        network = nn.TransformerEncoder(layer, LAYERS[kind], enable_nested_tensor=False)
    return network.to("cuda", torch.float16).train()


def build(kind, row):
    """Forward and backward; gradients are written anew, as after zero_grad(set_to_none=True)."""
    network = network_of(kind)
    tokens = random(STEP_BATCH, row.length, WIDTH[kind], precision="fp16")
    grad = torch.randn_like(tokens)
    weights = list(network.parameters())

    def step():
        out = network(tokens)
        out = out[0] if kind == "lstm" else out
        torch.autograd.grad(out, weights, grad)
    return step
