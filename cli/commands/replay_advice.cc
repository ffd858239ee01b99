#include "cli/commands/replay_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "cli/commands/replay_changes.h"
#include "dsl/quoting.h"
#include "planner/trace/kineto_table.h"
#include "planner/tuning/real_graph.h"
#include "planner/tuning/traced.h"
#include "planner/tuning/tuned.h"

namespace cli {
namespace {

namespace replay = planner::replay;
namespace tuning = planner::tuning;

constexpr size_t kOperators = 5;

struct AdviceTrial {
  std::string what, flag, name = "";  // of what --scale-op is to find; "": nothing
  ReplayChangeFlags flags = {};
  std::optional<replay::Decisions> decisions = {};
};

std::vector<AdviceTrial> standard() {
  std::vector<AdviceTrial> all;
  all.push_back({.what = "no rank waits for another", .flag = "--no-stragglers"});
  all.back().flags.no_stragglers = true;
  all.push_back({.what = "communication is hidden", .flag = "--perfect-overlap"});
  all.back().flags.perfect_overlap = true;
  all.push_back({.what = "hosts twice as fast", .flag = "--host-speed 2"});
  all.back().flags.host_speed = 2;
  return all;
}

/// What --scale-op finds a piece of the critical path by; "": nothing. Pieces have the names of kernels without their
/// parameters.
std::string pattern_of(const replay::Measured& m, const replay::PathPiece& piece) {
  bool begins = false;
  for (const planner::trace::RankTrace& rank : m.trace)
    for (size_t n = 0; n < rank.names.size(); ++n) {
      const std::string& name = rank.names[static_cast<uint32_t>(n)];
      if (name == piece.name) return name;
      begins = begins || name.starts_with(std::string(piece.name) + "(");
    }
  return begins ? std::string(piece.name) + "(*" : "";
}

/// The operators, kernels and collectives that the critical path is in longest.
std::vector<std::string> largest_operators(const replay::Measured& m) {
  std::map<std::string_view, replay::PathPiece> sums;
  for (const replay::PathPiece& piece : m.path) {
    const bool works = piece.piece == replay::Piece::host || piece.piece == replay::Piece::kernel ||
                       piece.piece == replay::Piece::transfer;
    if (!works || planner::trace::is_step(piece.name)) continue;  // a step is all that is in it
    const auto [at, is_new] = sums.try_emplace(piece.name, piece);
    if (!is_new) at->second.seconds_ns += piece.seconds_ns;
  }
  std::vector<replay::PathPiece> pieces;
  for (const auto& [name, piece] : sums) pieces.push_back(piece);
  std::ranges::stable_sort(pieces, std::greater(), &replay::PathPiece::seconds_ns);
  std::vector<std::string> patterns;
  for (const replay::PathPiece& piece : pieces) {
    if (patterns.size() == kOperators) break;
    if (const std::string pattern = pattern_of(m, piece); !pattern.empty()) patterns.push_back(pattern);
  }
  return patterns;
}

void add_operators(const replay::Measured& m, std::vector<AdviceTrial>& all) {
  for (const std::string& pattern : largest_operators(m)) {
    const std::string value = pattern + "=0.5";
    all.push_back({.what = "half the time of " + pattern, .flag = "--scale-op " + dsl::single_quoted(value)});
    all.back().name = pattern;
    all.back().flags.scale_op = {value};
  }
}

// Other sizes of buckets, where the trace says which gradients and reductions there are.
void add_buckets(const replay::Measured& m, std::vector<AdviceTrial>& all) {
  const tuning::Tunable tunable = tuning::traced_pass(m.trace, m.matched);
  if (!tunable.subject) return;
  const tuning::Subject& subject = *tunable.subject;
  std::vector<tuning::Candidate> candidates = tuning::candidates_of(
      subject, tuning::tune(subject.pass, tuning::Sync(subject.sync, tuning::kUsualPartitions, subject.tail)));
  const tuning::RealGraph graph(m.trace, m.matched);
  tuning::replay_candidates(graph, subject, candidates);
  if (!tuning::is_modelled(subject, candidates)) return;
  for (const tuning::Candidate& each : candidates) {
    if (each.name == "measured" || !each.replayed_seconds) continue;
    all.push_back({.what = "buckets of tune --strategy " + dsl::single_quoted(each.name),
                   .flag = "--apply FILE",
                   .flags = {},
                   .decisions = tuning::decisions_of(subject, each.played)});
  }
}

}  // namespace

std::vector<replay::Advice> advice_of(const replay::Measured& m, dsl::Diagnostics& diagnostics) {
  std::vector<AdviceTrial> tries = standard();
  add_operators(m, tries);
  add_buckets(m, tries);
  std::vector<replay::Advice> all;
  for (const AdviceTrial& each : tries) {
    dsl::Diagnostics wrong;
    replay::Edits edits = edits_of(each.flags, m.trace, nullptr, wrong);
    if (each.decisions) edits.decisions = &*each.decisions;
    if (wrong.has_errors() || (!each.name.empty() && edits.scalings.front().pattern != each.name)) {
      diagnostics.warning({}, fmt::format("--advice leaves out {}: its flag cannot hold the name", each.what));
      continue;
    }
    const replay::SecondReplay changed = m.with(edits);
    if (!changed.runs.empty()) all.push_back({each.what, each.flag, replay::mean_seconds(changed.lengths)});
  }
  std::ranges::stable_sort(all, {}, &replay::Advice::step_seconds);
  return all;
}

}  // namespace cli
