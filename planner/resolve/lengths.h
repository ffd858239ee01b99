// `job.sequence` as a map: a run whose steps differ in sequence length.
//
//     sequence: {lengths: train.txt, batching: sorted}       a data set, or a log of iterations: its SeqPoints
//     sequence: {points: [87, 412], weights: [300, 12]}      lengths, and the number of steps that each represents
//
//     map -> LengthSource -> iterations -> times at their lengths -> Lengths (SeqPoints with weights)
//
// The points are found once: on the scenario, or, if choices are open, on the first combination that has a step at all
// lengths (Pati 2024, section 3.3.3: they hold for other configurations too).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "planner/scenario/scenario.h"
#include "planner/seqpoint/batches.h"
#include "planner/seqpoint/log.h"
#include "planner/seqpoint/select.h"

namespace planner {

inline constexpr const char* kSequence = "job.sequence";

/// The fields under `job.sequence`.
struct SequenceFields {
  std::optional<std::string> lengths;  // a file
  seqpoint::Order batching = seqpoint::Order::corpus;
  int64_t seed = 1, divide = 1, quantum = 1;
  double threshold = seqpoint::SelectOptions{}.threshold;
  std::vector<int64_t> points;
  std::vector<double> weights;
  // Here the members are those of `Lengths`, of points that were found.
  int64_t unique_lengths = 0, iterations = 0, left_over_sequences = 0;
  double error = 0, padding = 0;
};

template <class V> void fields(V& v, SequenceFields& s) {
  v("lengths", s.lengths, {.doc = "file of lengths: a data set, or the iterations of a run"});
  v("batching", s.batching, {.doc = "order of a data set's sequences in batches"});
  v("seed", s.seed, {.least = 0, .doc = "of the random orders"});
  v("divide", s.divide, {.least = 1, .most = 1e9, .doc = "units of the file in one of the model's"});
  v("quantum", s.quantum, {.least = 1, .most = 1e9, .doc = "batches are padded to a multiple of it"});
  v("threshold", s.threshold, {.least = 0, .most = 1, .doc = "largest error of the SeqPoints' projection"});
  v("points", s.points, {.least = 1, .most = 1e9, .doc = "lengths that stand for the run, ascending"});
  v("weights", s.weights, {.least = 0, .most = 1e15, .doc = "steps that each of them stands for"});
  v("unique_lengths", s.unique_lengths, {.least = 0, .doc = "of the run that points were found for"});
  v("iterations", s.iterations, {.least = 0, .doc = "of that run"});
  v("left_over_sequences", s.left_over_sequences, {.least = 0, .doc = "behind its last full batch"});
  v("error", s.error, {.least = -1e9, .doc = "of its projection by the points"});
  v("padding", s.padding, {.least = 0, .most = 1, .doc = "share of its tokens that fills batches"});
}

/// A length source is such a map, with the file that it names.
struct LengthSource {
  SequenceFields fields;
  dsl::Span place;
  seqpoint::Log log;    // of `lengths`; without lengths where `points` are given
  int64_t longest = 1;  // no step is longer
};

/// Takes the map out of a scenario's tree and puts the longest length there. nullopt: there is no map, or it has a
/// mistake (diagnosed).
std::optional<LengthSource> take_lengths(dsl::Node& tree, dsl::Sources& sources, dsl::Diagnostics& diagnostics);

/// Returns the seconds of a step at each length; empty: no such step exists.
using StepTimes = std::function<std::vector<double>(const std::vector<int64_t>&)>;

/// Resolves a map into the lengths that represent the run, and their weights. If no step has a time, lengths are used
/// in place of times: a plan then reports the problems of all of them.
std::optional<Lengths> resolve_lengths(const LengthSource& source, int64_t global_batch, const StepTimes& times,
                                       dsl::Diagnostics& diagnostics);

/// Returns the seconds of a step at each of these lengths, the values of `kSequence` that are together; of the choices
/// the first combination counts that has a step at all of them, whether it fits or not. Empty: none has.
std::vector<double> step_times(OpenScenario open, const std::vector<int64_t>& lengths);

/// Returns whether steps of one run may differ in a field: rows of operators, the batch and how it is cut and kept.
bool may_follow_length(std::string_view path);

/// Puts lengths where the map was.
void set_lengths(dsl::Node& tree, const std::vector<int64_t>& lengths);
/// Returns the lengths as a scenario writes them: {points: [...], weights: [...]}.
dsl::Node lengths_node(const Lengths& lengths);

}  // namespace planner
