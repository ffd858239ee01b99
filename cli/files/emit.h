// A search in shards as a job of a scheduler or a workflow: texts to start from.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace cli {

/// The values that fill a text.
struct Sharded {
  std::string scenario;  // the file, as the tasks find it
  int64_t shards = 1, threads = 1;
  std::vector<std::string> flags;  // of `search`, one word each, not yet quoted
};

struct EmitTarget {
  const char* name;
  const char* summary;
  std::string (*text)(const Sharded&);
};

/// Slurm, GNU parallel, Snakemake, Nextflow, Kubernetes.
std::span<const EmitTarget> emit_targets();

}  // namespace cli
