// Collectives across ranks: who waited for whom, by what clocks, and what the operator models say of them.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/pages/replay_report.h"
#include "cli/report/facts.h"
#include "cli/report/row_fields.h"
#include "planner/replay/priced.h"

namespace cli {
namespace {

namespace trace = planner::trace;
namespace replay = planner::replay;

constexpr double kNano = 1e-9;

std::string sum_line(const replay::PredictedSum& sum) {
  return fmt::format("{} predicted: {} measured, {} predicted; {} within a factor {}.",
                     counted(sum.count, "collective"), figure(sum.measured_seconds, Unit::seconds),
                     figure(sum.predicted_seconds, Unit::seconds), sum.within, replay::kWithin);
}

}  // namespace

void add_predictions(const replay::Priced& priced, const planner::trace::Matched& matched, Table& table) {
  table.columns.push_back({.name = "predicted_seconds", .unit = Unit::seconds, .heading = "predicted"});
  table.columns.push_back({.name = "predicted_ratio", .unit = Unit::number, .heading = "ratio"});
  for (size_t i = 0; i < table.rows.size(); ++i) {
    const auto predicted = i < priced.collectives.size() ? priced.collectives[i].seconds : std::nullopt;
    const double measured = static_cast<double>(matched.collectives[i].transfer_ns) * kNano;
    table.rows[i].push_back(predicted ? Data(*predicted) : Data());
    table.rows[i].push_back(predicted && measured > 0 ? Data(*predicted / measured) : Data());
  }
}

Table collective_rows(const Measured& m) {
  using trace::Collective;
  const auto longest_wait = [](const Collective& c) {
    const int64_t ns = std::ranges::max(c.parts, {}, &Collective::Part::wait_ns).wait_ns;
    return c.parts.size() == 1 ? Data() : Data(in_seconds(ns));
  };
  const auto last_rank = [&](const Collective& c) {
    return c.parts.size() == 1 ? Data() : Data(rank_of(m, c.parts[c.last].rank));
  };
  const RowFields<Collective> fields{
      {"index", [&](auto& c) { return &c - m.matched.collectives.data() + 1; }, Unit::count, "#"},
      {"name", &Collective::name},
      {"group", or_null(&Collective::group), Unit::text, "", 3},
      {"ranks", [](auto& c) { return c.parts.size(); }, Unit::count},
      {"bytes", [](auto& c) { return c.bytes < 0 ? Data() : Data(c.bytes); }, Unit::bytes, "", 2},
      {"transfer_seconds", seconds_of(&Collective::transfer_ns), Unit::seconds, "transfer"},
      {"longest_wait_seconds", longest_wait, Unit::seconds, "longest wait", 1},
      {"last_rank", last_rank, Unit::count, "last rank"},
  };
  Table table = fields.table(m.matched.collectives, "Collectives");
  add_predictions(m.priced, m.matched, table);
  return table;
}

Table collective_sum_rows(const Measured& m) {
  using replay::CollectiveSum;
  const RowFields<CollectiveSum> fields{
      {"name", &CollectiveSum::name},
      {"ranks", [](auto& sum) { return sum.ranks > 0 ? Data(sum.ranks) : Data(); }, Unit::count, "", 2},
      {"count", &CollectiveSum::count, Unit::count},
      {"bytes", &CollectiveSum::bytes, Unit::bytes},
      {"transfer_seconds", seconds_of(&CollectiveSum::transfer_ns), Unit::seconds, "transfer"},
      {"longest_wait_seconds", seconds_of(&CollectiveSum::longest_wait_ns), Unit::seconds, "longest wait", 3},
      {"bus_bandwidth_bytes_per_second", &CollectiveSum::bus_bandwidth, Unit::bytes_per_second, "bus bandwidth"},
      {"predicted_seconds", &CollectiveSum::predicted_seconds, Unit::seconds, "predicted", 1},
  };
  return fields.table(replay::collective_sums(m.trace, m.matched, m.priced), "Collectives by name");
}

Table wait_rows(const Measured& m) {
  Table table{.title = "Waits",
              .columns = {{.name = "rank", .unit = Unit::count},
                          {.name = "for_rank", .unit = Unit::count, .heading = "for rank"},
                          {.name = "seconds", .unit = Unit::seconds, .heading = "time"}}};
  for (size_t r = 0; r < m.waits.size(); ++r) {
    std::vector<size_t> others;
    for (size_t o = 0; o < m.waits.size(); ++o)
      if (m.waits[r][o] > 0) others.push_back(o);
    std::ranges::stable_sort(others, std::greater(), [&](size_t o) { return m.waits[r][o]; });
    for (size_t o : others) table.rows.push_back({rank_of(m, r), rank_of(m, o), in_seconds(m.waits[r][o])});
  }
  return table;
}

Table clock_rows(const Measured& m) {
  const RowFields<size_t> fields{
      {"rank", [&](size_t r) { return rank_of(m, r); }, Unit::count},
      {"offset_seconds", [&](size_t r) { return in_seconds(m.clocks.offsets_ns[r]); }, Unit::seconds, "put forward by"},
      {"drift_seconds", [&](size_t r) { return in_seconds(m.clocks.drifts_ns[r]); }, Unit::seconds, "more by the end"},
  };
  return fields.table(places(m.trace.size()), "Clocks");
}

std::string clock_line(const Measured& m) {
  const std::string before = figure(in_seconds(m.clocks.before_ns), Unit::seconds);
  const bool pulls = std::ranges::all_of(m.matched.collectives, [](const trace::Collective& each) {
    return each.kind == trace::CollectiveKind::push_pull;
  });
  return fmt::format("The clocks were put in step: {}, now {}.",
                     pulls ? fmt::format("PULLs ended up to {} before the last PUSH of their round", before)
                           : fmt::format("ends of collectives were up to {} from their mean", before),
                     figure(in_seconds(m.clocks.after_ns), Unit::seconds));
}

Table scaled_rows(const replay::Priced& priced) {
  using replay::WorkShare;
  std::vector<WorkShare> shares;
  if (priced.other) shares = replay::shares_of(*priced.other);
  double all = 0;
  for (const WorkShare& share : shares) all += share.took_ns;
  const RowFields<WorkShare> fields{
      {"work", [](auto& s) { return name_of(s.work); }},
      {"basis", [](auto& s) { return name_of(s.basis); }, Unit::text, "by"},
      {"events", &WorkShare::events, Unit::count, "", 1},
      {"seconds", [](auto& s) { return s.took_ns * kNano; }, Unit::seconds, "measured"},
      {"share", [&](auto& s) { return s.took_ns / all; }, Unit::fraction},
      {"changed_seconds", [](auto& s) { return s.becomes_ns * kNano; }, Unit::seconds, "there"},
      {"factor", [](auto& s) { return s.becomes_ns / s.took_ns; }, Unit::number},
  };
  return fields.table(shares, "On the other machine");
}

std::vector<std::string> prediction_lines(const replay::Priced& priced, const planner::trace::Matched& matched,
                                          const std::string& unknown) {
  if (matched.collectives.empty()) return {};
  if (!unknown.empty())
    return {fmt::format("Collectives are not predicted: {} (--from-machine NAME says what it was).", unknown)};
  std::vector<std::string> lines;
  if (const replay::PredictedSum sum = replay::sum_of(priced, matched); sum.count > 0) lines.push_back(sum_line(sum));
  std::map<std::string_view, size_t> missing;
  for (const replay::Predicted& predicted : priced.collectives)
    if (!predicted.seconds) ++missing[predicted.missing];
  for (const auto& [what, count] : missing)
    lines.push_back(fmt::format("{} not predicted: {}.", counted(count, "collective"), what));
  return lines;
}

}  // namespace cli
