"""Times without a GPU, to test what reads the tables: a roofline with figures near an A100's."""
from rows import ELEMENT_BYTES

PEAK = {"fp32": 19.5e12, "tf32": 156e12, "fp16": 312e12, "bf16": 312e12, "fp8": 624e12}


def roofline_us(flops, traffic, precision):
    return 1e6 * (4e-6 + max(flops / (0.7 * PEAK[precision]), traffic / (0.8 * 2e12)))


def gemm(row):
    size = ELEMENT_BYTES[row.precision]
    output = 8 if row.accumulate else max(size, 2)
    traffic = row.batch * (size * row.k * (row.m + row.n) + output * row.m * row.n)
    return roofline_us(2 * row.batch * row.m * row.n * row.k, traffic, row.precision)


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


TIMES = {"gemm": gemm, "attention": attention, "vector": vector, "lookup": lookup,
         "sustained": gemm, "collective": collective}
