// From a few measured steps to an epoch (Extra-Deep, equations 2 to 10): F = n_t V_t + n_v V_v with
// n = floor((D / shards) / B), shards = ranks / model-parallel degree.
#pragma once

#include <optional>
#include <span>

#include "dsl/expression.h"
#include "planner/scaling/experiment.h"

namespace planner::scaling {

/// Each may depend on the experiment's parameters, as training_samples: 50000 * ranks of weak scaling does.
struct EpochOptions {
  dsl::Expression training_samples;                   // D_t
  std::optional<dsl::Expression> validation_samples;  // D_v; nullopt: no validation
  dsl::Expression batch;                              // B, of one worker
  dsl::Expression ranks;                              // G
  std::optional<dsl::Expression> model_parallel;      // M; nullopt: 1
};

struct Steps {
  double training = 0, validation = 0;
};

/// Returns the steps at one point, whose coordinates are `x`; nullopt: an expression has no value there, or a degree or
/// batch is not above zero (diagnosed).
std::optional<Steps> steps_at(const EpochOptions& options, std::span<const std::string> parameters,
                              std::span<const double> x, dsl::Diagnostics& diagnostics);

/// Returns every training series times its steps, plus its validation sibling (the same call path behind
/// "validation->") times its own steps; validation series without a sibling are kept separately. nullopt: diagnosed.
std::optional<Experiment> per_epoch(const Experiment& experiment, const EpochOptions& options,
                                    dsl::Diagnostics& diagnostics);

/// What profiling a few steps saves at a point, against profiling as many whole epochs (Extra-Deep, section 4.2.4).
struct SamplingSaving {
  std::vector<double> point;                       // coordinates
  double profiled_seconds = 0, epoch_seconds = 0;  // of the marked steps; of one epoch
  size_t epochs = 0;                               // that were profiled in part
  double saved = 0;  // 1 - profiled / (epochs x epoch); below 0 where the epoch is shorter
};

/// Returns the saving at each point whose profiles mark steps. `whole`: the experiment per epoch, whose series "step"
/// is the time of one; points that it lacks are left out.
std::vector<SamplingSaving> sampling_savings(const Experiment& whole);

/// Adds "application", the sum of the categories (equation 6), to an experiment of profiles.
void add_total(Experiment& experiment);

}  // namespace planner::scaling
