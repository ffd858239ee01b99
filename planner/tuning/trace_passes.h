// The six passes of dPRO on a traced run (Hu et al. 2022, section 5.2): what each may do, or why it does not apply.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "operator_models/calibrate/sample.h"
#include "planner/tuning/real_graph.h"
#include "planner/tuning/trace_memory.h"

namespace planner::tuning {

/// The changes applied to a run.
struct TraceChoice {
  replay::PassEdits passes;
  size_t candidate = 0;  // whose buckets; 0: the measured ones
  int partitions = 1;    // of each bucket; 1: those of the strategy
  bool operator==(const TraceChoice&) const = default;
};

/// A traced run, and facts about it.
struct TraceRun {
  const RealGraph& graph;
  const Tunable& reductions;                 // why there are none to tune
  const std::vector<Candidate>& candidates;  // empty: there are none; the last one, the best, repeats one of the others
  TraceMemory memory = {};
  double matrix_factor = 1;  // what matrix products take at 16 bits of their time in single precision
  int most_partitions = kUsualPartitions;

  /// Returns how gradients are reduced then. REQUIRES: candidates.
  replay::Decisions decisions_of(const TraceChoice& choice) const;
  std::optional<double> step_seconds(const TraceChoice& choice) const;
  double peak_bytes(const TraceChoice& choice) const { return peak_with(choice.passes, memory, graph.work()); }
};

/// What matrix products that took single precision take at 16 bits, of their time: the operator models on the machine
/// of the trace, by the kernels' recorded shapes; of none by the peaks. `machine` null: it is not known, and half the
/// bytes take half the time.
double matrix_factor_of(const trace::Trace& trace, const replay::TraceWork& work,
                        const operator_models::Machine* machine);

/// A way to do a pass.
struct TraceWay {
  std::string setting;  // as a page shows it
  std::function<void(TraceChoice&)> set;
};

struct TracePass {
  const char* name;  // as of setting_passes
  bool for_memory;
  /// Returns why it does not apply; "": it does.
  std::string (*why_not)(const TraceRun& run);
  /// REQUIRES: it applies.
  std::vector<TraceWay> (*ways)(const TraceRun& run);
  void (*clear)(TraceChoice& choice);  // as if it had not been done
};
/// In the order of setting_passes.
std::span<const TracePass> trace_passes();

}  // namespace planner::tuning
