#include "planner/plan/communication.h"

#include <algorithm>
#include <utility>

#include "planner/plan/hidden.h"
#include "planner/plan/step.h"
#include "planner/workload/overlap.h"

namespace planner {
namespace {

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
  return row;
}

CommunicationRow boundary_row(const Scenario& s, const CostedWorkload& c, double send) {
  const double crossings = crossings_of(s, c.workload.microbatches);
  CommunicationRow row{.name = "pipeline.activation", .kind = "send-recv", .ranks = s.parallelism.pp, .tiers = {}};
  row.tiers.push_back(s.cluster.network[static_cast<size_t>(c.workload.boundary.tier)].name);
  row.bytes = c.workload.boundary.bytes.value;
  row.purpose = Purpose::pp;
  row.serialized = true;
  row.count = crossings;
  row.exposed_seconds = send;
  row.seconds = std::max(crossings * c.boundary.seconds.value, row.exposed_seconds);
  row.hidden_seconds = hidden_crossings(crossings, c.boundary.seconds.value, send);
  return row;
}

}  // namespace

std::vector<CommunicationRow> communication_rows(const Scenario& s, const CostedWorkload& c,
                                                 const Pipelined& pipeline) {
  std::vector<CommunicationRow> rows;
  const double m = static_cast<double>(c.workload.microbatches);
  const Chunk held = c.workload.classes[pipeline.stage_class].total();
  for (size_t i = 0; i < held.size(); ++i)
    for (const CostedOp& op : c.blocks[i].ops)
      if (op.communication && held[i] > 0) {
        rows.push_back(row_of(s, op, m * static_cast<double>(held[i])));
        rows.back().serialized = is_serialized(*op.work);
      }
  if (c.workload.boundary.bytes.value > 0) rows.push_back(boundary_row(s, c, pipeline.time.send));
  for (const CostedOp& op : c.classes[pipeline.stage_class].step_ops)
    if (op.communication) rows.push_back(row_of(s, op, 1));
  return rows;
}

}  // namespace planner
