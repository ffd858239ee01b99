#include "planner/plan/communication.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "planner/plan/uncertainty.h"
#include "planner/workload/overlap.h"

namespace planner {
namespace {

// As the parts of the step: by what own runs came to.
void stretch(const Scenario& s, CommunicationRow& row) {
  const double shift = error_shift(s);
  for (double* seconds : {&row.seconds, &row.hidden_seconds, &row.exposed_seconds}) *seconds *= shift;
}

CommunicationRow row_of(const Scenario& s, const CostedOp& op, double count) {
  CommunicationRow row;
  row.purpose = op.work->purpose;
  Movement movement = movement_of(s, op.work->op);
  row.name = op.work->phase == StepPhase::recompute ? op.work->name + ".recompute" : op.work->name;
  row.kind = movement.kind;
  row.ranks = movement.ranks;
  row.tiers = std::move(movement.tiers);
  row.bytes = movement.bytes;
  row.count = count * op.work->count;
  row.seconds = row.count * op.cost.seconds.value;
  row.exposed_seconds = row.count * op.exposed;
  row.hidden_seconds = hidden_seconds(row.count, op.cost.seconds.value, op.exposed);
  if (row.seconds < row.exposed_seconds) row.seconds = row.exposed_seconds;  // the wait belongs to the transfer
  stretch(s, row);
  return row;
}

}  // namespace

CommunicationRow block_row(const Scenario& s, const CostedOp& op, double calls) {
  CommunicationRow row = row_of(s, op, calls);
  row.serialized = is_serialized(*op.work);
  return row;
}

CommunicationRow step_row(const Scenario& s, const CostedOp& op) { return row_of(s, op, 1); }

CommunicationRow boundary_row(const Scenario& s, const Boundary& boundary, double seconds, int64_t microbatches,
                              double send) {
  const double crossings = crossings_of(s, microbatches);
  CommunicationRow row{.name = "pipeline.activation", .kind = "send-recv", .ranks = s.parallelism.pp};
  row.tiers.push_back(s.cluster.network[static_cast<size_t>(boundary.boundary.tier)].name);
  row.bytes = boundary.boundary.bytes.value;
  row.purpose = Purpose::pp;
  row.serialized = true;
  row.count = crossings;
  row.exposed_seconds = send;
  row.seconds = std::max(crossings * seconds, row.exposed_seconds);
  row.hidden_seconds = hidden_crossings(crossings, seconds, send);
  stretch(s, row);
  return row;
}

std::string identity_of(const CommunicationRow& row) {
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}", row.name, row.kind, row.ranks, fmt::join(row.tiers, "\t"),
                     static_cast<int>(row.purpose), row.serialized);
}

std::vector<CommunicationRow> communication_rows(const Scenario& s, const CostedWorkload& c,
                                                 const Pipelined& pipeline) {
  std::vector<CommunicationRow> rows;
  const double m = static_cast<double>(c.workload.microbatches);
  const Chunk held = c.workload.classes[pipeline.stage_class].total();
  for (size_t i = 0; i < held.size(); ++i)
    for (const CostedOp& op : c.blocks[i].ops)
      if (op.communication && held[i] > 0) rows.push_back(block_row(s, op, m * static_cast<double>(held[i])));
  if (c.workload.boundary.bytes.value > 0)
    rows.push_back(boundary_row(s, c.workload, c.boundary.seconds.value, c.workload.microbatches, pipeline.time.send));
  for (const CostedOp& op : c.classes[pipeline.stage_class].step_ops)
    if (op.communication) rows.push_back(step_row(s, op));
  return rows;
}

}  // namespace planner
