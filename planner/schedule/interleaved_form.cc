// Interleaved 1F1B whose parts are equal but for the first and the last: the longest of a few paths, where these are
// known to be all that count. Derivation, conditions and how often they hold: docs/models-schedule.md.
#include <algorithm>

#include "planner/schedule/costs.h"

namespace planner {

namespace {

double total(const ChunkTime& time) { return time.forward + time.backward; }

/// A pipeline with one time for all parts in the middle; times are what a stage is held for.
struct PipelineEnds {
  double stages, chunks, groups;  // of `stages` microbatches
  ChunkTime first, middle, last;
  double travel;

  double parts() const { return stages * chunks; }
  double t() const { return total(middle); }
  /// The most that a path may gain per wave between heavy parts: by staying or, where sends are slow, by moving on.
  double wave() const { return t() + travel - std::min({middle.forward, middle.backward, travel}); }
  /// What a path loses by a move.
  double slack() const { return std::min(middle.forward, middle.backward) - travel; }
  double forward_excess() const { return std::max(0.0, first.forward - middle.forward); }
  double backward_excess() const { return std::max(0.0, first.backward - middle.backward); }
  double excess() const { return std::max(forward_excess(), backward_excess()); }
  /// A path may wait a full turn on a heavy first part before it sets out, and again before it ends.
  double wait(double excess) const { return std::max(0.0, (stages - 1) * excess - stages * travel); }
};

const ChunkTime* middle_of(std::span<const PartRun> runs) {
  const auto alone = [&](size_t run) { return runs[run].count == 1; };
  if (runs.size() == 1) return &runs[0].time;
  if (runs.size() == 2 && (alone(0) || alone(1))) return &runs[alone(0) ? 1 : 0].time;
  return runs.size() == 3 && alone(0) && alone(2) ? &runs[1].time : nullptr;
}

PipelineEnds ends_of(const PipelineProfile& profile, const PipelineTraffic& traffic, const ChunkTime& middle) {
  const OpCosts costs = op_costs(profile, traffic);
  const int64_t p = profile.stages();
  return {.stages = static_cast<double>(p),
          .chunks = static_cast<double>(profile.chunks()),
          .groups = static_cast<double>((traffic.microbatches + p - 1) / p),
          .first = costs.held(0, profile.runs().front().time),
          .middle = costs.held(1, middle),
          .last = costs.held(costs.last, profile.runs().back().time),
          .travel = costs.travel};
}

/// The first microbatch to the last part, and the last one from there, without the last part itself.
double there_and_back(const PipelineEnds& e) {
  return total(e.first) + (e.parts() - 2) * e.t() + 2 * (e.parts() - 1) * e.travel + e.wait(e.forward_excess()) +
         e.wait(e.backward_excess());
}

/// On the last stage from its first operation to its last but for moves that gain, in the waves of the other parts.
double by_last_stage(const PipelineEnds& e) {
  return there_and_back(e) + e.groups * e.stages * total(e.last) + (e.groups - 1) * (e.parts() - e.stages) * e.wave();
}

/// On the stage before the last, which the path enters and leaves by way of the last part or without it.
double by_middle_stage(const PipelineEnds& e) {
  const auto [f, b, w] = e.middle;
  const double turn = total(e.last) + 2 * e.travel;
  const double entry = std::max(turn, 2 * f + std::max(0.0, 2 * e.forward_excess() - e.wait(e.forward_excess())));
  const double exit = std::max(turn, 2 * b + std::max(0.0, 2 * e.backward_excess() - e.wait(e.backward_excess())));
  return there_and_back(e) - 2 * e.travel + entry + exit + ((e.groups - 1) * e.parts() + e.stages - 3) * e.t();
}

/// Whether no path is longer than that by the last stage.
bool last_stage_leads(const PipelineEnds& e) {
  const double lead = total(e.last) - e.t();
  if (lead < 0) return false;
  const bool cheap_sends = e.slack() >= 0;
  if (!cheap_sends && e.excess() > e.travel) return false;
  // The first part is heavy in one wave before the last part is, and in one after; the waves beside these pay for it.
  if (2 * e.excess() <= total(e.last) - e.wave()) return true;
  // Or the two moves there and back do.
  if (cheap_sends) return total(e.first) <= total(e.last) && e.forward_excess() + e.backward_excess() <= 2 * e.slack();
  // A path that moves on all the time has to wait for one turn in every group; going to and fro does not pay.
  return 2 * e.travel <= e.t() && 2 * e.excess() <= lead;
}

/// Whether no path is longer than those by the last stage and by the one before.
bool middle_stage_leads(const PipelineEnds& e) {
  const auto [f, b, w] = e.middle;
  const double lag = e.t() - total(e.last), c = e.travel;
  if (e.stages < 3 || lag < 0 || total(e.first) > e.t()) return false;
  // What a path may gain by passing the first stage as its part begins and ends to be heavy.
  const double passing = 2 * (e.forward_excess() + e.backward_excess());
  if (passing > e.slack()) return false;
  // With three stages and one group the path through the middle does not exist, but one of its bounds applies.
  if (c > std::min(e.last.forward, e.last.backward)) return false;
  // Entering and leaving by a turn around all stages is longer.
  const auto direct = [&](double pass, double other) {
    return std::min(pass + c, other - c + lag) + passing <= (e.stages - 1) * (pass - c) + e.stages * lag;
  };
  return direct(f, b) && direct(b, f);
}

}  // namespace

std::optional<double> interleaved_by_paths(const PipelineProfile& profile, const PipelineTraffic& traffic) {
  const ChunkTime* middle = profile.chunks() > 1 ? middle_of(profile.runs()) : nullptr;
  if (!middle) return {};
  const PipelineEnds ends = ends_of(profile, traffic, *middle);
  if (std::max(ends.first.forward, ends.first.backward) > total(ends.last)) return {};
  if (last_stage_leads(ends)) return by_last_stage(ends);
  if (middle_stage_leads(ends)) return std::max(by_last_stage(ends), by_middle_stage(ends));
  return {};
}

}  // namespace planner
