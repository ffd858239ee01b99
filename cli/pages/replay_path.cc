// The critical path of a replay, what changes make of its step, and execution traces beside it.
#include <fmt/format.h>

#include <algorithm>

#include "cli/pages/replay_report.h"
#include "cli/report/row_fields.h"

namespace cli {
namespace {

namespace trace = planner::trace;
using planner::replay::PathPiece;

/// By how much one is longer than another.
double change(double to, double from) { return from > 0 ? to / from - 1 : 0; }

/// The number of nodes that begin before their dependencies have ended.
int64_t contradicted(const trace::RankTrace& rank, const std::vector<trace::Dependency>& dependencies) {
  return std::ranges::count_if(dependencies, [&](const trace::Dependency& each) {
    return rank.events[each.to].start_ns < rank.events[each.from].end_ns();
  });
}

RowFields<PathPiece> piece_fields(const Measured& m) {
  return {{"rank", rank_in(m), Unit::count},
          {"kind", [](auto& piece) { return name_of(piece.piece); }},
          {"name", &PathPiece::name}};
}

}  // namespace

Table path_rows(const Measured& m) {
  const auto begin = [&](const PathPiece& piece) { return piece.begin_ns - m.path.front().begin_ns; };
  RowFields<PathPiece> fields = piece_fields(m);
  fields.add({"begin_seconds", seconds_of(begin), Unit::seconds, "from", 1});
  fields.add({"seconds", seconds_of(&PathPiece::seconds_ns), Unit::seconds, "time"});
  return fields.table(m.path, "Critical path");
}

Table path_shares(const Measured& m) {
  constexpr size_t kMost = 10;
  int64_t all = 0;
  for (const PathPiece& piece : m.path) all += piece.seconds_ns;
  std::vector<PathPiece> parts = planner::replay::summed(m.path);
  parts.resize(std::min(parts.size(), kMost));
  const auto share = [&](const PathPiece& part) {
    return static_cast<double>(part.seconds_ns) / static_cast<double>(all);
  };
  RowFields<PathPiece> fields = piece_fields(m);
  fields.add({"seconds", seconds_of(&PathPiece::seconds_ns), Unit::seconds, "time"});
  fields.add({"share", share, Unit::fraction, "of the path"});
  return fields.table(parts, "Critical path");
}

std::string change_line(const Measured& m) {
  if (m.changed.empty()) return "";
  const double before = m.step_seconds(), after = m.changed_seconds();
  return fmt::format("step {} -> {} ({:+.1f} %)", figure(before, Unit::seconds), figure(after, Unit::seconds),
                     change(after, before) * 100);
}

Data change_data(const Measured& m) {
  if (m.changed.empty()) return {};
  const double before = m.step_seconds(), after = m.changed_seconds();
  return Data::Object{{"measured_seconds", before}, {"changed_seconds", after}, {"change", change(after, before)}};
}

Table advice_rows(const Measured& m) {
  using planner::replay::Advice;
  const double before = m.step_seconds();
  const RowFields<Advice> fields{
      {"what", &Advice::what},
      {"flag", &Advice::flag, Unit::text, "", 1},
      {"step_seconds", &Advice::step_seconds, Unit::seconds, "step"},
      {"gain_seconds", [&](auto& each) { return before - each.step_seconds; }, Unit::seconds, "gain"},
      {"change", [&](auto& each) { return change(each.step_seconds, before); }, Unit::fraction},
  };
  return fields.table(m.advice, "Advice");
}

Table joined_rows(const Measured& m) {
  using planner::replay::JoinedRank;
  const auto of = [](auto trace::Joined::*count) {
    return [count](const JoinedRank& each) { return each.joined.*count; };
  };
  const auto wrong = [&](const JoinedRank& each) {
    const trace::RankTrace& rank = m.trace[each.rank];
    return contradicted(rank, each.tensors) + contradicted(rank, each.backward);
  };
  const RowFields<JoinedRank> fields{
      {"rank", rank_in(m), Unit::count},
      {"file", &JoinedRank::file, Unit::text, "", 4},
      {"nodes", of(&trace::Joined::nodes), Unit::count},
      {"operators", of(&trace::Joined::operators), Unit::count},
      {"joined", of(&trace::Joined::joined), Unit::count},
      {"share", [](auto& each) { return each.joined.share_of_nodes(); }, Unit::fraction, "of the nodes"},
      {"shapes", of(&trace::Joined::shapes), Unit::count, "with shapes", 2},
      {"equal_shapes", of(&trace::Joined::equal_shapes), Unit::count, "equal shapes", 1},
      {"tensor_dependencies", [](auto& each) { return each.tensors.size(); }, Unit::count, "by tensors", 3},
      {"backward_dependencies", [](auto& each) { return each.backward.size(); }, Unit::count, "backward", 3},
      {"contradicted", wrong, Unit::count, "", 3},
      {"data_edges", &JoinedRank::data_edges, Unit::count, "between kernels", 2},
  };
  return fields.table(m.joined, "Execution traces");
}

}  // namespace cli
