#include "cli/commands/replay_changes.h"

#include <fmt/format.h>

#include "cli/commands/replay_values.h"
#include "dsl/json.h"
#include "planner/replay/statistics.h"

namespace cli {
namespace {

namespace replay = planner::replay;

constexpr const char* kAnyText = "'*' stands for any text: '*gemm*'";

void tell_of_scaling(size_t found, const replay::Scaling& scaling, dsl::Diagnostics& diagnostics) {
  if (found > 0) return;
  const std::string where =
      scaling.before.empty() ? "has this name" : fmt::format("of this name begins before one of '{}'", scaling.before);
  diagnostics.error({},
                    fmt::format("{} '{}': nothing in the trace {}", scaling.removes ? "--remove" : "--scale-op",
                                scaling.pattern, where),
                    kAnyText);
}

void tell_of_rearrangement(const replay::Rearranged& came, const replay::Rearrangement& change,
                           dsl::Diagnostics& diagnostics) {
  if (came.changed > 0) return;
  const std::string flag = fmt::format("{} '{}'", change.stream ? "--move" : "--fuse", change.pattern);
  if (came.found == 0) diagnostics.error({}, flag + ": no kernel in the trace has this name", kAnyText);
  else if (!change.stream) diagnostics.error({}, flag + ": no two kernels of this name follow one another in a stream");
  else
    diagnostics.error({}, fmt::format("{}: no kernel of this name can go to stream {}", flag, *change.stream),
                      "expected another stream of the same device that has kernels");
}

void tell_of_passes(const replay::PassesCame& came, const replay::PassEdits& passes, dsl::Diagnostics& diagnostics) {
  const auto tell = [&](bool asked, size_t changed, const char* what) {
    if (asked && changed == 0)
      diagnostics.warning({}, fmt::format("--apply: {} changes nothing in this trace", what),
                          "are these decisions of `trainplan tune` with the same traces?");
  };
  tell(passes.matrix_factor.has_value(), came.halved, "mixed-precision");
  tell(passes.fuses_operators, came.fused, "operator-fusion");
  tell(passes.parts > 1, came.repeated, "gradient-accumulation");
  tell(passes.recomputed > 0, came.recomputed, "recompute");
}

}  // namespace

std::optional<replay::Statistics> times_of(const ReplayChangeFlags& flags, Streams& streams, Session& session) {
  if (flags.times.empty()) return std::nullopt;
  replay::Statistics times;
  for (const std::string& path : flags.times) {
    const dsl::Source* source = read_input(path, streams, session, replay::kMostStatisticsBytes);
    if (!source) return std::nullopt;
    replay::read_statistics(*source, times, session.diagnostics);
  }
  return times;
}

std::optional<ReadDecisions> decisions_of(const ReplayChangeFlags& flags, Streams& streams, Session& session) {
  if (flags.apply.empty()) return std::nullopt;
  const dsl::Source* source = read_input(flags.apply, streams, session, dsl::kWrittenLimits.bytes);
  return source ? read_decisions(*source, session.diagnostics) : std::nullopt;
}

void tell_of_decisions(const replay::Measured& page, const ReadDecisions& read, dsl::Diagnostics& diagnostics) {
  const replay::Rebucketed& came = page.applied.rebucketed;
  const int64_t ranks = page.trace.front().world_size.value_or(std::ssize(page.trace));
  if (page.is_replayed()) tell_of_passes(page.applied.passes, read.passes, diagnostics);
  if (!page.is_replayed() || read.decisions.buckets.empty()) return;
  if (came.steps == 0 && came.others == 0)
    diagnostics.error(read.gradients_span, "no step of the trace has gradients and all-reduces whose size it tells");
  else if (came.steps == 0)
    diagnostics.error(read.gradients_span,
                      fmt::format("no step of the trace has {} gradients", read.decisions.gradients),
                      "are these decisions of `trainplan tune` with the same traces?");
  else if (came.others > 0)
    diagnostics.warning(read.gradients_span,
                        fmt::format("{} of {} steps have another number of gradients: they stay as they were",
                                    came.others, came.others + came.steps));
  if (came.steps > 0 && read.ranks != ranks)
    diagnostics.warning(read.ranks_span,
                        fmt::format("the decisions are of {} ranks, and the trace is of {}", read.ranks, ranks));
}

replay::Edits edits_of(const ReplayChangeFlags& flags, const planner::trace::Trace& measured,
                       const replay::Statistics* times, dsl::Diagnostics& diagnostics) {
  replay::Edits edits{.times = times,
                      .decisions = nullptr,
                      .scalings = {},
                      .rearrangements = {},
                      .host_speed = flags.host_speed,
                      .no_stragglers = flags.no_stragglers,
                      .perfect_overlap = flags.perfect_overlap};
  const auto add = [&](const std::vector<std::string>& texts, auto read, auto& changes) {
    for (const std::string& text : texts)
      if (auto change = read(text, measured, diagnostics)) changes.push_back(*std::move(change));
  };
  add(flags.scale_op, scaling_of, edits.scalings);
  add(flags.remove, removal_of, edits.scalings);
  add(flags.fuse, fusion_of, edits.rearrangements);
  add(flags.move, move_of, edits.rearrangements);
  return edits;
}

void tell_of_changes(const replay::Applied& applied, const replay::Edits& edits, dsl::Diagnostics& diagnostics) {
  for (size_t i = 0; i < applied.scaled.size(); ++i) tell_of_scaling(applied.scaled[i], edits.scalings[i], diagnostics);
  for (size_t i = 0; i < applied.rearranged.size(); ++i)
    tell_of_rearrangement(applied.rearranged[i], edits.rearrangements[i], diagnostics);
  if (edits.times && applied.times.times < applied.times.of)
    diagnostics.warning(
        {}, fmt::format("--times: of {} times of hosts and delays {} stay the trace's own: the files say nothing of "
                        "their kind",
                        applied.times.of, applied.times.of - applied.times.times));
}

}  // namespace cli
