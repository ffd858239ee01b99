// What software does with machines that have techniques of their own (docs/techniques.md): the fields that a scenario's
// `techniques` set (techniques.h).
#pragma once

#include <cstdint>
#include <string>

#include "dsl/fields.h"
#include "operator_models/concurrency_policy.h"

namespace planner {

/// Where parameters are updated: on the GPU, or by units near its memory (Pati 2024, chapter 6). Those do all of it, or
/// all but the norm over all gradients, for which the GPU reads them.
enum class OptimizerOn { gpu, near_memory, near_memory_but_norm };

/// How a GEMM and the collective of its output share the device.
/// none: one after the other. ideal: reduce-scatter and GEMM in parallel, neither slows the other. ideal-nmc: the
/// memory adds, too. t3: hardware sends each part of the result when it is written, the memory adds, and both share its
/// bandwidth. t3-mca: its controller serves the GEMM first. cu-split: each has its own compute units (Pati 2024,
/// sections 8.4.3 and 8.2.2.1).
enum class FusedCollectives { none, ideal, ideal_nmc, t3, t3_mca, cu_split };

struct TechniqueHabits {
  std::string techniques;  // the scenario's techniques, joined by '+'; empty: none
  OptimizerOn optimizer_on = OptimizerOn::gpu;
  FusedCollectives fused_collectives = FusedCollectives::none;  // GEMMs and the reduce-scatters of their outputs
  int64_t collective_units = 8;  // cu-split: compute units of the collective; 0: it needs none
  operator_models::Concurrency concurrency = operator_models::Concurrency::sequential;  // of independent GEMMs
  int64_t instances = 1;  // of a forward job on each GPU: each GEMM exists this many times
};

template <class V> void fields(V& v, TechniqueHabits& t) {
  v("techniques", t.techniques, {.doc = "written by the scenario's `techniques`"});
  v("optimizer_on", t.optimizer_on, {.doc = "who updates the parameters: the GPU or units near its memory"});
  v("fused_collectives", t.fused_collectives,
    {.doc = "how a GEMM and the reduce-scatter of what it writes share the device"});
  v("collective_units", t.collective_units,
    {.least = 0,
     .most = 1e6,
     .doc = "cu-split: compute units of the collective, the others are the GEMM's; 0: it needs none"});
  v("concurrency", t.concurrency, {.doc = "how independent GEMMs share the GPU"});
  v("instances", t.instances,
    {.least = 1, .most = 1024, .doc = "copies of a forward job on each GPU, in turns or side by side"});
}

}  // namespace planner
