"""Operators on one GPU, and the clock that times them."""
import functools
import gc
import os
import statistics
import subprocess
import time

import torch
import torch.nn.functional as F

from rows import EMBEDDING_ROWS, HEAD, Gemm, world


def dtype_of(precision):
    if precision == "fp8":  # the MI300 series has a format of its own
        arch = getattr(torch.cuda.get_device_properties(0), "gcnArchName", "")
        return torch.float8_e4m3fnuz if arch.startswith("gfx94") else torch.float8_e4m3fn
    return {"fp16": torch.float16, "bf16": torch.bfloat16}.get(precision, torch.float32)


def random(*shape, precision="bf16", grad=False):
    """Normal numbers: zeros would switch fewer transistors, and run at a higher clock."""
    out = torch.randn(*shape, device="cuda", dtype=torch.float32).to(dtype_of(precision))
    return out.requires_grad_(grad)


@functools.lru_cache(maxsize=None)
def side_stream():
    """Graphs cannot be captured on the default stream, nor backward passes of what ran on it."""
    return torch.cuda.Stream()


def captured(run):
    """`run` as a CUDA graph: no gaps between its kernels."""
    gc.freeze()  # a capture collects garbage, for which PyTorch's own objects need not be walked
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=torch.cuda.current_stream()):
        run()
    return graph.replay


def nothing():
    pass


def events_us(run, repeats, before=nothing):
    """Times of single runs; `before` stands outside of the clock."""
    marks = [[torch.cuda.Event(enable_timing=True) for _ in "ab"] for _ in range(repeats)]
    for start, stop in marks:
        before()
        start.record()
        run()
        stop.record()
    torch.cuda.synchronize()
    return [1e3 * start.elapsed_time(stop) for start, stop in marks]


@functools.lru_cache(maxsize=None)
def filler():
    """More than any L2 cache holds: to write it leaves nothing else there."""
    return torch.empty(2 ** 29, dtype=torch.int8, device="cuda")


def median_us(run, options):
    """Median of up to --repeats runs (0.2 s, five at least), each with a cold L2 cache."""
    for _ in range(3):
        run()
    if options.graphs:
        run = captured(run)
    repeats = min(options.repeats, max(5, int(2e5 / events_us(run, 1)[0])))
    flush = filler()
    begin = time.perf_counter()
    run()
    host_us = 1e6 * (time.perf_counter() - begin)
    # The host runs ahead of the GPU, so that no launch is in the times: a flush takes 100 us.
    for _ in range(8 + int(host_us * repeats / 100)):
        flush.zero_()
    return statistics.median(events_us(run, repeats, nothing if options.warm else flush.zero_))


def multiply_fp8(a, b, layout):
    """Tensor cores read rows of A and columns of B: all roles multiply transposed copies."""
    one = torch.ones((), device="cuda")
    b = b.mT.contiguous().mT
    a = a.contiguous()
    fast = layout == "TN"  # gradients are added up with more bits, as frameworks do
    return lambda: torch._scaled_mm(a, b, scale_a=one, scale_b=one, out_dtype=torch.bfloat16,
                                    use_fast_accum=fast)


def multiply_added(a, b, precision):
    """grad += A B with an fp32 gradient: Apex's kernel where it is installed, else PyTorch's."""
    grad = torch.zeros(a.shape[0], b.shape[1], device="cuda")
    if precision in ("fp32", "tf32"):
        return lambda: grad.addmm_(a, b)
    try:
        from fused_weight_gradient_mlp_cuda import wgrad_gemm_accum_fp32
        return lambda: wgrad_gemm_accum_fp32(b, a.mT, grad)
    except ImportError:
        return lambda: torch.addmm(grad, a, b, out_dtype=torch.float32, out=grad)


def build_gemm(row):
    """A lies in memory as [k, m] for NT, B as [n, k] for TN: what forward and gradients find."""
    torch.backends.cuda.matmul.allow_tf32 = row.precision == "tf32"
    a_shape = (row.k, row.m) if row.layout == "NT" else (row.m, row.k)
    b_shape = (row.n, row.k) if row.layout == "TN" else (row.k, row.n)
    outer = (row.batch,) if row.batch > 1 else ()
    a, b = (random(*outer, *shape, precision=row.precision) for shape in (a_shape, b_shape))
    a, b = a.mT if row.layout == "NT" else a, b.mT if row.layout == "TN" else b
    if row.precision == "fp8":
        return multiply_fp8(a, b, row.layout)
    if row.accumulate:
        return multiply_added(a, b, row.precision)
    out = torch.empty(*outer, row.m, row.n, device="cuda", dtype=a.dtype)
    return lambda: torch.matmul(a, b, out=out)


def gemms_beside(row):
    """Of `NN+NT` each data gradient has the weight gradient of its layer beside it."""
    first, _, second = row.layout.partition("+")
    alike = Gemm(row.batch, row.m, row.n, row.k, row.precision, first, 0)
    if not second:
        return [alike] * row.at_once
    other = alike._replace(m=row.k, k=row.m, layout=second)
    return [alike, other] * (row.at_once // 2)


def build_concurrency(row):
    """GEMMs with operands of their own, each on a stream of its own."""
    runs = [build_gemm(gemm) for gemm in gemms_beside(row)]
    if row.at_once == 1:
        return runs[0]
    streams = [torch.cuda.Stream() for _ in runs]

    def together():
        here = torch.cuda.current_stream()
        for stream, run in zip(streams, runs):
            stream.wait_stream(here)
            with torch.cuda.stream(stream):
                run()
        for stream in streams:
            here.wait_stream(stream)
    return together


def backward_of(forward, inputs):
    out = forward()
    grad = torch.randn_like(out)
    return lambda: torch.autograd.grad(out, inputs, grad, retain_graph=True)


def sdpa(q, k, v, row):
    grouped = {"enable_gqa": True} if row.heads != row.kv_heads else {}
    return F.scaled_dot_product_attention(q, k, v, is_causal=bool(row.causal), **grouped)


def choose_backend(kernel):
    """Switches all backends of scaled_dot_product_attention off but the one."""
    names = {"sdpa": "flash", "efficient": "mem_efficient", "cudnn-fused": "cudnn"}
    for name in ("flash", "mem_efficient", "math", "cudnn"):
        switch = getattr(torch.backends.cuda, f"enable_{name}_sdp", None)
        if switch:
            switch(name == names[kernel])


def flash(q, k, v, row):
    if row.kernel == "flash3":
        from flash_attn_interface import flash_attn_func
    else:
        from flash_attn import flash_attn_func
    out = flash_attn_func(q, k, v, causal=bool(row.causal))
    return out[0] if isinstance(out, tuple) else out


def build_attention(row):
    packed = row.kernel.startswith("flash")  # [batch, tokens, heads, width]; SDPA: heads first

    def operand(heads, tokens):
        middle = (tokens, heads) if packed else (heads, tokens)
        return random(row.batch, *middle, row.head_dim, precision=row.precision, grad=True)
    inputs = (operand(row.heads, row.queries), operand(row.kv_heads, row.keys),
              operand(row.kv_heads, row.keys))
    if not packed:
        choose_backend(row.kernel)

    def forward():
        return (flash if packed else sdpa)(*inputs, row)
    return backward_of(forward, inputs) if row.backward else forward


def swiglu(x):
    gate, up = x.chunk(2, -1)
    return F.silu(gate) * up


def rms_norm(x, weight):
    wide = x.float()
    return (wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + 1e-5)).to(x.dtype) * weight


def rope(x, cosine, sine):
    first, second = x.view(x.shape[0], -1, HEAD).chunk(2, -1)
    return torch.cat((first * cosine - second * sine, second * cosine + first * sine), -1)


def compiled(function):
    """One kernel, as training frameworks have it, where plain PyTorch launches several."""
    from torch._functorch import config
    torch.compiler.reset()
    if hasattr(config, "donated_buffer"):
        config.donated_buffer = False  # the backward pass is run again and again
    return torch.compile(function, dynamic=False)


def build_adam(row, options):
    weights = [random(row.columns, precision="fp32", grad=True) for _ in range(row.rows)]
    for weight in weights:
        weight.grad = torch.randn_like(weight)
    return torch.optim.AdamW(weights, capturable=options.graphs, **{options.adam: True}).step


def call_of(row):
    """A function and its arguments; those that require a gradient get one in the backward pass."""
    rows, columns, op, grad = row.rows, row.columns, row.op, bool(row.backward)

    def operand(*shape, precision=row.precision):
        return random(*shape, precision=precision, grad=grad)
    if op in ("embedding", "cross-entropy"):
        choices = EMBEDDING_ROWS if op == "embedding" else columns
        ids = torch.randint(choices, (rows,), device="cuda")
        if op == "embedding":
            return F.embedding, ids, operand(EMBEDDING_ROWS, columns)
        return F.cross_entropy, operand(rows, columns), ids
    if op == "rope":
        angles = random(rows, 1, HEAD // 2, precision=row.precision)
        return rope, operand(rows, columns), angles.cos(), angles.sin()
    if op == "swiglu":
        return swiglu, operand(rows, 2 * columns)
    x, scale, shift = operand(rows, columns), operand(columns), operand(columns)
    wide = operand(rows, columns, precision="fp32") if op == "cast" else None
    return {
        "layer-norm": (lambda x, w, b: F.layer_norm(x, (columns,), w, b), x, scale, shift),
        "rms-norm": (rms_norm, x, scale),
        "softmax": (lambda x: F.softmax(x, -1), x),
        "gelu": (lambda x: F.gelu(x, approximate="tanh"), x),
        "add": (torch.add, x, torch.empty_like(x)),
        "dropout": (lambda x: F.dropout(x, 0.1), x),
        "cast": (lambda wide: wide.to(x.dtype), wide),
        "copy": (torch.clone, x),
    }[op]


def build_vector(row, options):
    if row.op == "adam":
        return build_adam(row, options)
    function, *arguments = call_of(row)
    if function in (rms_norm, swiglu, rope):
        function = compiled(function)

    def forward():
        return function(*arguments)
    if not row.backward:
        return forward
    return backward_of(forward, [x for x in arguments if x.requires_grad])


def fbgemm_lookup(row, weights):
    """FBGEMM's batched lookup of one table, whose backward pass is the update (exact SGD)."""
    from fbgemm_gpu.split_embedding_configs import EmbOptimType, SparseType
    from fbgemm_gpu.split_table_batched_embeddings_ops_common import EmbeddingLocation
    from fbgemm_gpu.split_table_batched_embeddings_ops_training import (
        ComputeDevice, SplitTableBatchedEmbeddingBagsCodegen)
    kind = SparseType.FP32 if weights == torch.float32 else SparseType.FP16
    return SplitTableBatchedEmbeddingBagsCodegen(
        [(row.table_rows, row.dim, EmbeddingLocation.DEVICE, ComputeDevice.CUDA)],
        optimizer=EmbOptimType.EXACT_SGD, learning_rate=0.01, weights_precision=kind,
        output_dtype=kind)


def build_lookup(row):
    """Even draws from the rows of a table."""
    weights = dtype_of(row.precision)
    indices = torch.randint(row.table_rows, (row.samples * row.pooling,), device="cuda")
    offsets = torch.arange(0, row.samples * row.pooling + 1, row.pooling, device="cuda")
    if row.kernel == "torch":
        table = random(row.table_rows, row.dim, precision=row.precision)
        return lambda: F.embedding_bag(indices, table, offsets[:-1], mode="sum")
    lookup = fbgemm_lookup(row, weights)
    if not row.backward:
        return lambda: lookup(indices, offsets)
    out = lookup(indices, offsets)
    grad = torch.randn_like(out)
    return lambda: out.backward(grad, retain_graph=True)


def build_lstm(row):
    import steps
    return steps.build("lstm", row)


def build_encoder(row):
    import steps
    return steps.build("encoder", row)


def sustained_us(row):
    """Mean over a second of the same GEMM without a break: seconds on, the power limit rules."""
    run = build_gemm(Gemm(*row[:-1]))
    run()
    times, begin = [], time.perf_counter()
    while time.perf_counter() - begin < 1:
        times += events_us(lambda: [run() for _ in range(20)], 1)
    return sum(times) / (20 * len(times))


def measure(kind, row, options):
    """The time of a row in microseconds."""
    if kind == "sustained":
        return sustained_us(row)
    build = {"gemm": build_gemm, "concurrency": build_concurrency, "attention": build_attention,
             "vector": lambda row: build_vector(row, options), "lookup": build_lookup,
             "lstm": build_lstm, "encoder": build_encoder}[kind]
    with torch.cuda.stream(side_stream() if options.graphs else torch.cuda.current_stream()):
        return median_us(build(row), options)


def recover():
    """Frees memory after a row that failed; raises if the GPU is lost to this process."""
    torch.cuda.empty_cache()
    torch.cuda.synchronize()


def driver_figures():
    """Driver, clock now and at most (MHz), power limit (W); blank without nvidia-smi."""
    gpu = os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")[0]
    query = "driver_version,clocks.sm,clocks.max.sm,power.limit"
    command = ["nvidia-smi", "-i", gpu, "--query-gpu=" + query, "--format=csv,noheader,nounits"]
    try:
        return subprocess.check_output(command, text=True).strip().split(", ")
    except (OSError, subprocess.CalledProcessError):
        return [""] * 4


def machine_figures():
    """As the columns of kit_info.csv; wakes the GPU first, whose clock is low while it idles."""
    if not torch.cuda.is_available():
        raise SystemExit("measure.py: PyTorch finds no GPU here")
    gpu = torch.cuda.get_device_properties(0)
    sustained_us(Gemm(1, 4096, 4096, 4096, "fp32", "TN", 0) + (0,))
    device = "rocm" if torch.version.hip else "cuda"
    return [device, gpu.name, world()[0], gpu.total_memory, gpu.multi_processor_count,
            torch.__version__, torch.version.hip or torch.version.cuda, *driver_figures()]
