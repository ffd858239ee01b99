"""What is measured: the rows of each table in a fixed order. Nothing here needs PyTorch."""
import itertools
import os
import random
from collections import namedtuple

Gemm = namedtuple("Gemm", "batch m n k precision layout accumulate")
Concurrency = namedtuple("Concurrency", "batch m n k precision layout at_once")
Attention = namedtuple("Attention", "kernel batch heads kv_heads queries keys head_dim causal "
                                    "backward precision")
Vector = namedtuple("Vector", "op rows columns precision backward read_bytes written_bytes")
Lookup = namedtuple("Lookup", "kernel table_rows dim samples pooling precision backward")
Sustained = namedtuple("Sustained", Gemm._fields + ("second",))
Step = namedtuple("Step", "length")  # of the sequences of a batch: lstm.csv, encoder.csv
Collective = namedtuple("Collective", "op ranks gpus_per_node size_bytes precision")

ELEMENT_BYTES = {"fp32": 4, "tf32": 4, "fp16": 2, "bf16": 2, "fp8": 1}
EMBEDDING_ROWS = 51200  # of the table that the embedding looks up
STEP_BATCH = 64         # sequences of an iteration of lstm and encoder
HEAD = 128              # width of a head that rope turns


Model = namedtuple("Model", "hidden ffn kv_width gated vocabulary")
MODELS = [
    Model(2048, 8192, 2048, False, 51200),     # GPT 1.3B
    Model(6144, 24576, 6144, False, 51200),    # GPT 22B
    Model(12288, 49152, 12288, False, 51200),  # GPT-3 175B
    Model(4096, 14336, 1024, True, 128256),    # Llama 3 8B
    Model(8192, 28672, 1024, True, 128256),    # Llama 3 70B
    Model(16384, 53248, 1024, True, 128256),   # Llama 3.1 405B
]


def log_spaced(first, last, count, multiple):
    step = (last / first) ** (1 / (count - 1))
    return [round(first * step ** i / multiple) * multiple for i in range(count)]


def powers(first, last, factor=2):
    while first <= last:
        yield first
        first *= factor


def grid_shapes(quick):
    """(m, n, k): a cube of log-spaced sizes, few rows against wide weights, squares."""
    sizes = log_spaced(256, 8192, 3, 64) if quick else log_spaced(128, 16384, 7, 64)
    yield from itertools.product(sizes, repeat=3)
    yield from itertools.product((16, 64), sizes[::2], sizes[::2])
    yield from ((n, n, n) for n in powers(1024, 8192 if quick else 16384))


def layer_widths(model, tp):
    """(outputs, inputs) of the linear layers of one of `tp` ranks, and of the logits."""
    hidden, ffn = model.hidden, model.ffn
    yield (hidden + 2 * model.kv_width) // tp, hidden
    yield hidden, hidden // tp
    yield (2 if model.gated else 1) * ffn // tp, hidden
    yield hidden, ffn // tp
    yield model.vocabulary // tp, hidden


def training_rows(precision, models, tps, tokens):
    """Forward, data gradient and weight gradient (alone and added to an fp32 gradient)."""
    for model, tp, m in itertools.product(models, tps, tokens):
        for outputs, inputs in layer_widths(model, tp):
            yield Gemm(1, m, outputs, inputs, precision, "TN", 0)
            yield Gemm(1, m, inputs, outputs, precision, "NN", 0)
            for accumulate in (0,) if precision == "fp8" else (0, 1):
                yield Gemm(1, outputs, inputs, m, precision, "NT", accumulate)


def plan_gemm(quick):
    for precision in ("bf16", "fp8", "fp16", "tf32", "fp32"):
        shapes = list(grid_shapes(quick))
        coarse = shapes if precision in ("bf16", "fp8") else shapes[::4]
        for (m, n, k), layout in itertools.product(coarse, ("TN", "NN", "NT")):
            yield Gemm(1, m, n, k, precision, layout, 0)
    for precision in ("bf16", "fp8"):
        if quick:
            yield from training_rows(precision, MODELS[3:4], (1, 4), (4096,))
        else:
            yield from training_rows(precision, MODELS, (1, 2, 4, 8), (2048, 8192))
    for batch, s in itertools.product((8, 32, 128), (1024,) if quick else (1024, 2048)):
        yield Gemm(batch, s, s, 128, "bf16", "TN", 0)  # scores of attention that is not fused
        yield Gemm(batch, s, 128, s, "bf16", "NN", 0)
    for tokens in (256, 1024):                         # experts of a mixture
        yield Gemm(8, tokens, 14336, 4096, "bf16", "TN", 0)


def several_at_once(m, outputs, inputs):
    """The GEMMs of a layer, each so many times, and both gradients beside each other."""
    shapes = (m, outputs, inputs, "TN"), (m, inputs, outputs, "NN"), (outputs, inputs, m, "NT")
    for (rows, columns, k, layout), at_once in itertools.product(shapes, (1, 2, 4, 8, 16)):
        yield Concurrency(1, rows, columns, k, "bf16", layout, at_once)
    for at_once in (2, 8):
        yield Concurrency(1, m, inputs, outputs, "bf16", "NN+NT", at_once)


def plan_concurrency(quick):
    """Layers that are too small to fill a GPU (Pati 2024, table 7.3), so many of them at once."""
    hiddens = (1024, 2560) if quick else (512, 768, 1024, 1280, 1600, 1920, 2560, 3072, 4256, 5120)
    tokens = (2048,) if quick else (512, 1024, 2048, 3072, 4096, 8192)
    for hidden, m in itertools.product(hiddens, tokens):
        for outputs, inputs in ((hidden, hidden), (4 * hidden, hidden), (hidden, 4 * hidden)):
            yield from several_at_once(m, outputs, inputs)


def plan_attention(quick):
    kernels = ("sdpa", "efficient", "cudnn-fused", "flash2", "flash3")
    lengths = (1024, 4096) if quick else tuple(powers(512, 16384))
    heads = ((32, 8),) if quick else ((32, 32), (32, 8), (8, 8))
    for kernel, s, (h, kv), d, causal, backward, precision in itertools.product(
            kernels, lengths, heads, (64, 128), (1, 0), (0, 1), ("bf16", "fp16")):
        yield Attention(kernel, max(1, 8192 // s), h, kv, s, s, d, causal, backward, precision)


# Bytes of one element of rows x columns that are read and written, forward and then backward,
# where an element takes e bytes.
TRAFFIC = {
    "layer-norm": lambda e: (e, e, 2 * e, e),
    "rms-norm": lambda e: (e, e, 2 * e, e),
    "softmax": lambda e: (e, e, 2 * e, e),
    "gelu": lambda e: (e, e, 2 * e, e),
    "swiglu": lambda e: (2 * e, e, 3 * e, 2 * e),  # a column of the output has two inputs
    "add": lambda e: (2 * e, e),
    "dropout": lambda e: (e, e + 1, e + 1, e),     # and the mask
    "rope": lambda e: (e, e, e, e),
    "cross-entropy": lambda e: (e, e, 2 * e, 2 * e),  # log-softmax; gradient of the pick, then dx
    "cast": lambda e: (4, e),                      # from fp32
    "copy": lambda e: (e, e),
    "embedding": lambda e: (e, e, e, e),           # backward also clears a table (table_bytes)
}


def vector_shapes(op, quick):
    if op == "cross-entropy":
        return itertools.product((1024, 4096), (32000, 128256))
    if op == "softmax":
        return itertools.product((4096, 65536), (1024, 4096) if quick else powers(512, 8192))
    if quick:
        return itertools.product((1024, 8192), (4096,))
    return itertools.product(powers(128, 32768, 4), (1024, 2048, 4096, 8192, 16384))


def table_bytes(op, backward, columns, size):
    return EMBEDDING_ROWS * columns * size if op == "embedding" and backward else 0


def plan_vector(quick):
    for (op, traffic), precision in itertools.product(TRAFFIC.items(), ("bf16", "fp32")):
        size = ELEMENT_BYTES[precision]
        moved = traffic(size)
        if op == "cast" and precision == "fp32":
            continue
        for rows, columns in vector_shapes(op, quick):
            for backward in range(len(moved) // 2):
                read, written = (rows * columns * x for x in moved[2 * backward:][:2])
                written += table_bytes(op, backward, columns, size)
                yield Vector(op, rows, columns, precision, backward, read, written)
    for tensors, size in itertools.product((1, 16), (2 ** 20, 2 ** 24)):
        # reads weight, gradient and both moments, writes all but the gradient
        yield Vector("adam", tensors, size, "fp32", 0, 16 * tensors * size, 12 * tensors * size)


def plan_lookup(quick):
    """Each sample sums `pooling` rows of a table that a cache holds, or of a larger one."""
    tables = (10 ** 4, 10 ** 6) if quick else tuple(powers(10 ** 3, 10 ** 7, 10))
    poolings = (1, 30) if quick else (1, 5, 20, 80)
    samples = (4096,) if quick else (512, 4096, 65536)
    for kernel, precision, table, dim, batch, pooling in itertools.product(
            ("fbgemm", "torch"), ("fp32", "fp16"), tables, (32, 128), samples, poolings):
        for backward in (0, 1) if kernel == "fbgemm" else (0,):
            yield Lookup(kernel, table, dim, batch, pooling, precision, backward)


def plan_sustained(quick):
    precisions = ("bf16",) if quick else ("bf16", "fp8", "fp16", "tf32")
    for precision, second in itertools.product(precisions, range(1, 11)):
        yield Sustained(1, 8192, 8192, 8192, precision, "TN", 0, second)


def plan_step(quick):
    """40 lengths, a tile of tensor cores apart: logs of trainplan seqpoint."""
    for length in range(16, 641, 128 if quick else 16):
        yield Step(length)


def world():
    """Ranks of this torchrun job, and those of one node; (1, 1) without torchrun."""
    ranks = int(os.environ.get("WORLD_SIZE", 1))
    return ranks, int(os.environ.get("LOCAL_WORLD_SIZE", ranks))


def plan_collective(quick):
    ranks, local = world()
    inside = sorted({*powers(1, local), local})
    across = sorted({*powers(1, ranks // local), ranks // local})
    ops = ("all_reduce", "all_gather", "reduce_scatter", "all_to_all", "send_recv")
    sizes = (2 ** 16, 2 ** 20, 2 ** 26) if quick else tuple(powers(2 ** 10, 2 ** 30))
    for nodes, per_node, op, size in itertools.product(across, inside, ops, sizes):
        group = nodes * per_node
        if group > 1:
            yield Collective(op, group, per_node, max(1, size // (2 * group)) * 2 * group, "bf16")


KINDS = {"gemm": Gemm, "concurrency": Concurrency, "attention": Attention, "vector": Vector,
         "lookup": Lookup, "sustained": Sustained, "lstm": Step, "encoder": Step,
         "collective": Collective}
PLANS = {"gemm": plan_gemm, "concurrency": plan_concurrency, "attention": plan_attention,
         "vector": plan_vector, "lookup": plan_lookup, "sustained": plan_sustained,
         "lstm": plan_step,
         "encoder": plan_step, "collective": plan_collective}


def block_of(row):
    """What is of use together: times of several at once want those of each alone."""
    return tuple(sorted(row[1:4])) if isinstance(row, Concurrency) else row


def spread(planned):
    """The blocks in an order that leaves no part of the grid to the end."""
    blocks = {}
    for row in planned:
        blocks.setdefault(block_of(row), []).append(row)
    order = list(blocks.values())
    random.Random(0).shuffle(order)
    return [row for block in order for row in block]
