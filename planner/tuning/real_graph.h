// Strategies on the graph of a trace: all ranks, all steps, hosts and devices, where the chain has one backward pass.
#pragma once

#include <optional>
#include <vector>

#include "planner/replay/pass_edits.h"
#include "planner/replay/rebucket.h"
#include "planner/tuning/tuned.h"

namespace planner::tuning {

/// Returns a strategy's decisions for a traced pass, whose pieces are the gradients of a step. REQUIRES: a line.
replay::Decisions decisions_of(const Subject& subject, const Replay& played);

class RealGraph {
 public:
  /// Both outlive it.
  RealGraph(const trace::Trace& trace, const trace::Matched& matched);

  /// Returns the step with decisions, from the end of one on the device to that of the next, as the mean over steps and
  /// ranks; of a single step its own time there. nullopt: the run waits for itself.
  std::optional<double> step_seconds(const replay::Decisions& decisions) const { return step_seconds({}, &decisions); }
  /// The same with passes that change computation. `decisions` null: gradients are reduced as before.
  std::optional<double> step_seconds(const replay::PassEdits& passes, const replay::Decisions* decisions) const;

  /// The step as it was measured, in the same way.
  double measured_seconds() const;
  const trace::Trace& trace() const { return trace_; }
  const trace::RankSteps& steps() const { return steps_; }  // by rank
  const replay::TraceWork& work() const { return work_; }

 private:
  const trace::Trace& trace_;
  trace::RankSteps steps_;
  replay::GradientSteps gradients_;
  replay::Replayed replayed_;
  replay::TraceWork work_;
};

/// Replays the candidates, and puts in place of the last one, the best, the one whose step is the shortest there; of
/// equal ones the first.
void replay_candidates(const RealGraph& graph, const Subject& subject, std::vector<Candidate>& candidates);

/// Returns whether the replayed run matches the measured step within 1 %: only then is the graph valid for other runs.
/// The second version is for replayed candidates of traces; the first candidate is the measured run.
bool is_modelled(double measured_seconds, const std::optional<double>& replayed_seconds);
bool is_modelled(const Subject& subject, const std::vector<Candidate>& candidates);

/// Something that was decided, and by how much the step is shorter than without it, all else as it is.
struct Decision {
  enum class Pass { tensor_fusion, tensor_partition } pass = Pass::tensor_fusion;
  size_t bucket = 0;
  double gain_seconds = 0;
};

/// Returns the gains of buckets: for a bucket of several gradients, over reducing each alone; for a partitioned one,
/// over the whole bucket.
std::vector<Decision> decide(const RealGraph& graph, const replay::Decisions& decisions, const Subject& subject,
                             const replay::PassEdits& passes = {});

}  // namespace planner::tuning
