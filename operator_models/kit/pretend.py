"""Times without a GPU, to test what reads the tables: a roofline with figures near an A100's."""
import math

from rows import ELEMENT_BYTES, STEP_BATCH

PEAK = {"fp32": 19.5e12, "tf32": 156e12, "fp16": 312e12, "bf16": 312e12, "fp8": 624e12}


def roofline_us(flops, traffic, precision):
    return 1e6 * (4e-6 + max(flops / (0.7 * PEAK[precision]), traffic / (0.8 * 2e12)))


def gemm(row):
    size = ELEMENT_BYTES[row.precision]
    output = 8 if row.accumulate else max(size, 2)
    traffic = row.batch * (size * row.k * (row.m + row.n) + output * row.m * row.n)
    return roofline_us(2 * row.batch * row.m * row.n * row.k, traffic, row.precision)


def concurrency(row):
    """Of small GEMMs some of the launches, and the first half of the device, are shared."""
    alone = roofline_us(2 * row.m * row.n * row.k, 0, row.precision)
    return alone * (1 + 0.9 * (row.at_once - 1))


def attention(row):
    flops = 4 * row.batch * row.heads * row.queries * row.keys * row.head_dim
    flops *= (0.5 if row.causal else 1) * (2.5 if row.backward else 1)
    return roofline_us(flops, 0, row.precision)


def vector(row):
    return roofline_us(0, row.read_bytes + row.written_bytes, "fp32")


def lookup(row):
    """Distinct rows of even draws once, the others as far as a cache of 40 MiB lacks them."""
    line, lookups = ELEMENT_BYTES[row.precision] * row.dim, row.samples * row.pooling
    distinct = row.table_rows * (1 - (1 - 1 / row.table_rows) ** lookups)
    missing = max(0, 1 - 40 * 2 ** 20 / (line * distinct))
    moved, sums = line * (distinct + (lookups - distinct) * missing), line * row.samples
    return roofline_us(0, (2 if row.backward else 1) * moved + sums, "fp32")


def collective(row):
    share = {"all_reduce": 2 * (row.ranks - 1) / row.ranks, "send_recv": 1}
    sent = row.size_bytes * share.get(row.op, (row.ranks - 1) / row.ranks)
    link = 240e9 if row.ranks == row.gpus_per_node else 20e9
    return 1e6 * (1e-5 * row.ranks ** 0.5 + sent / link)


def waves_us(m, n, k):
    """A GEMM of whole waves of 128 x 128 tiles on 108 compute units: no straight line in m."""
    waves = math.ceil(math.ceil(m / 128) * math.ceil(n / 128) / 108)
    return roofline_us(2 * waves * 108 * 128 * 128 * k, 0, "bf16")


def lstm(row):
    """Four layers of width 1024: token after token, forward and twice backward."""
    return 4 * 3 * row.length * waves_us(STEP_BATCH, 4096, 2048)


def encoder(row):
    """Six layers of width 512: four linear layers, and attention between all tokens."""
    tokens = STEP_BATCH * row.length
    linear = sum(waves_us(tokens, n, k) for n, k in
                 ((1536, 512), (512, 512), (2048, 512), (512, 2048)))
    between = roofline_us(4 * STEP_BATCH * row.length ** 2 * 512, 0, "bf16")
    return 6 * 3 * (linear + between)


TIMES = {"gemm": gemm, "concurrency": concurrency, "attention": attention, "vector": vector,
         "lookup": lookup, "sustained": gemm, "lstm": lstm, "encoder": encoder,
         "collective": collective}
