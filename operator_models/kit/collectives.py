"""Collectives between the GPUs of a torchrun job."""
import functools
import os
import statistics

import torch
import torch.distributed as dist

from operators import events_us, random
from rows import world


@functools.lru_cache(maxsize=None)
def group_of(ranks, per_node):
    """The first `per_node` ranks of each of the first nodes; every rank has to make it."""
    local = world()[1]
    members = [node * local + i for node in range(ranks // per_node) for i in range(per_node)]
    return members, dist.new_group(members)


def build_collective(row, members, group):
    """`size_bytes` as nccl-tests counts: gathered, before scattering, what a rank deals out."""
    whole = random(row.size_bytes // 2)
    other = torch.empty_like(whole)
    part = torch.empty(whole.numel() // row.ranks, device="cuda", dtype=whole.dtype)
    place = members.index(dist.get_rank())
    after, before = members[(place + 1) % row.ranks], members[place - 1]

    def exchange():
        sides = [dist.P2POp(dist.isend, whole, after, group),
                 dist.P2POp(dist.irecv, other, before, group)]
        for work in dist.batch_isend_irecv(sides):
            work.wait()
    return {
        "all_reduce": lambda: dist.all_reduce(whole, group=group),
        "all_gather": lambda: dist.all_gather_into_tensor(whole, part, group=group),
        "reduce_scatter": lambda: dist.reduce_scatter_tensor(part, whole, group=group),
        "all_to_all": lambda: dist.all_to_all_single(other, whole, group=group),
        "send_recv": exchange,
    }[row.op]


def measure(row):
    """Median over bursts of calls, of the slowest rank; None on a rank outside of the group."""
    members, group = group_of(row.ranks, row.gpus_per_node)
    slowest = None
    if dist.get_rank() in members:
        run, calls = build_collective(row, members, group), 20 if row.size_bytes <= 2 ** 24 else 4
        times = events_us(lambda: [run() for _ in range(calls)], 7, lambda: dist.barrier(group))
        slowest = torch.tensor(statistics.median(times[2:]) / calls, device="cuda")
        dist.all_reduce(slowest, dist.ReduceOp.MAX, group)
        slowest = slowest.item()
    dist.barrier()
    return slowest


def join():
    """Makes this process a rank; true on rank 0."""
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    return dist.get_rank() == 0


def agree(rows_left):
    """The list of rank 0, on every rank."""
    box = [rows_left]
    dist.broadcast_object_list(box, 0)
    return box[0]


def leave():
    dist.destroy_process_group()
