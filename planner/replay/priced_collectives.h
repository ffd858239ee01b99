// Collectives of a trace as operators of the models, and their predictions.
//
// The models' tables come from nccl-tests, where kernels of a stream follow one another; a kernel's duration does not
// include its launch:
//
//     seconds of a kernel = seconds of the model - one launch of the calibration, 0 at least
#pragma once

#include <optional>
#include <string_view>

#include "planner/replay/site.h"
#include "planner/trace/collectives.h"

namespace planner::replay {

/// The properties by which the models identify a collective, as far as the trace has them.
struct SizedCollective {
  std::optional<operator_models::CollectiveKind> model;  // none: a send and a receive, or `missing`
  double bytes = 0;                                      // the measure of size for this kind (operators.h)
  int64_t ranks = 0;
  std::string_view missing;  // what the trace or the models lack; "": nothing
};
/// A group without a size has the ranks of the run, if the file gives their number; else those whose kernels were
/// matched. The models have no reduction to one rank: it is priced as a broadcast, whose bytes go the other way.
SizedCollective sized_of(const trace::Collective& collective, const trace::Trace& trace);

/// A collective as an operator; none: `missing` names what the trace or the models lack.
struct TypedCollective {
  std::optional<operator_models::Operator> op;
  std::string_view missing;
};

TypedCollective operator_of(const trace::Collective& collective, const trace::Trace& trace, const Site& site);

/// Returns where the ranks of its group sit.
operator_models::Group group_of(const trace::Collective& collective, const trace::Trace& trace, const Site& site);

/// Seconds of a collective's kernels, after the last arrival, and the basis of the prediction.
struct CollectiveTime {
  double seconds = 0;
  operator_models::Provenance provenance = operator_models::Provenance::assumed;
};
/// nullopt: there is no operator.
std::optional<CollectiveTime> predicted_time(const TypedCollective& typed, const operator_models::Device& device);

}  // namespace planner::replay
