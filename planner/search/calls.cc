#include "planner/search/calls.h"

#include <algorithm>
#include <array>

#include "planner/plan/at_length.h"

namespace planner {
namespace {

Calls calls_of(const CostedOp& op) {
  return {.count = op.work->count, .seconds = op.cost.seconds.value, .exposed = op.exposed};
}

// Each list of `wide` has transfers in the order of their operators.
void hide_once(const StepCalls& once, const StepWide& wide, HiddenRows& rows) {
  std::array<size_t, kStepCovers.size()> next{};
  for (const StepCall& call : once) {
    const bool hides = call.cover < next.size();
    const double exposed = hides ? wide.under[call.cover][next[call.cover]++].exposed : call.calls.exposed;
    rows.push_back({call.calls.row, hidden_seconds(call.calls.count, call.calls.seconds, exposed)});
  }
}

}  // namespace

BlockCalls CallKeeper::of_block(const Scenario& s, const CostedBlock& before, CostedBlock& block) const {
  BlockCalls calls;
  for (const CostedOp& op : block.ops) {
    if (!op.communication) continue;
    calls.push_back(calls_of(op));
    if (rows_) calls.back().row = number_of(block_row(s, op, 1));
  }
  if (calls.empty()) return calls;
  expose_as_split(s, before, block);
  auto next = calls.begin();
  for (const CostedOp& op : block.ops)
    if (op.communication) next++->exposed_split = op.exposed;
  return calls;
}

StepCalls CallKeeper::of_step(const Scenario& s, const std::vector<CostedOp>& step_ops) const {
  StepCalls all;
  for (const CostedOp& op : step_ops) {
    if (!op.communication) continue;
    StepCall& call = all.emplace_back();
    call.calls = calls_of(op);
    if (rows_) call.calls.row = number_of(step_row(s, op));
    call.cover = step_cover_of(op.work->hide);
  }
  return all;
}

uint64_t CallKeeper::of_boundary(const Scenario& s, const Boundary& boundary) const {
  return rows_ && boundary.boundary.bytes.value > 0 ? number_of(boundary_row(s, boundary, 0, 1, 0)) : 0;
}

void hide(const Scenario& s, const StepTransfers& t, HiddenRows& rows) {
  const double microbatches = static_cast<double>(t.pipeline.microbatches);
  rows.clear();
  for (size_t i = 0; i < t.held.size(); ++i) {
    if (t.held[i] <= 0) continue;
    const double times = microbatches * static_cast<double>(t.held[i]);
    for (const Calls& calls : t.blocks[i])
      rows.push_back({calls.row, hidden_seconds(times * calls.count, calls.seconds,
                                                t.splits_backward ? calls.exposed_split : calls.exposed)});
  }
  if (t.boundary.boundary.bytes.value > 0)
    rows.push_back(
        {t.crossing_row, hidden_crossings(crossings_of(s, t.pipeline.microbatches), t.crossing, t.pipeline.time.send)});
  hide_once(t.once, t.wide, rows);
}

double hidden_seconds(const HiddenRows& rows) {
  double sum = 0;
  for (const HiddenRow& row : rows) sum += row.seconds;
  return sum;
}

// Rows that say the same are summed first, from the longest length on.
double mean_hidden_seconds(const Scenario& s, const std::vector<HiddenRows>& by_length) {
  const std::vector<double> shares = length_shares(s);
  HiddenRows mean;
  for (size_t k = by_length.size(); k-- > 0;) {
    for (const HiddenRow& row : by_length[k]) {
      auto at = std::ranges::find(mean, row.row, &HiddenRow::row);
      if (at == mean.end()) at = mean.insert(at, {row.row, 0});
      at->seconds += shares[k] * row.seconds;
    }
  }
  return hidden_seconds(mean);
}

}  // namespace planner
