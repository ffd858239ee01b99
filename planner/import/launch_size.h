// How many processes a launch line starts: torchrun, deepspeed, accelerate.
#pragma once

#include "planner/import/megatron_flags.h"

namespace planner {

/// Degrees and numbers of processes are cut to this: more are refused where the scenario is read.
inline constexpr int64_t kMostRanks = 1'000'000;

/// Returns the processes of all nodes, or 0 if the line does not give them, or leaves them to its caller ("$GPUS").
int64_t processes(megatron::Flags& flags);
/// Returns the flag with the number of processes.
const char* flag_of_processes(const megatron::Flags& flags);
/// Returns the GPUs of DeepSpeed's `--include host:0,1@other:0,1`; 0: it names none.
int64_t included_gpus(const megatron::Flags& flags);
/// Returns the flag with the number of nodes.
const char* flag_of_nodes(const megatron::Flags& flags);

}  // namespace planner
