#include "cli/pages/replay_priced.h"

#include <fmt/format.h>

#include <map>

namespace cli {
namespace {

namespace replay = planner::replay;

constexpr double kNano = 1e-9;

std::string counted_collectives(size_t n) { return fmt::format("{} collective{}", n, n == 1 ? "" : "s"); }

std::string sum_line(const replay::PredictedSum& sum) {
  return fmt::format("{} predicted: {} measured, {} predicted; {} within a factor {}.", counted_collectives(sum.count),
                     figure(sum.measured_seconds, Unit::seconds), figure(sum.predicted_seconds, Unit::seconds),
                     sum.within, replay::kWithin);
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

Table scaled_rows(const replay::Priced& priced) {
  Table table{.title = "On the other machine",
              .columns = {{.name = "work"},
                          {.name = "basis", .heading = "by"},
                          {.name = "events", .unit = Unit::count, .rank = 1},
                          {.name = "seconds", .unit = Unit::seconds, .heading = "measured"},
                          {.name = "share", .unit = Unit::fraction},
                          {.name = "changed_seconds", .unit = Unit::seconds, .heading = "there"},
                          {.name = "factor", .unit = Unit::number}}};
  if (!priced.other) return table;
  const std::vector<replay::WorkShare> shares = replay::shares_of(*priced.other);
  double all = 0;
  for (const replay::WorkShare& share : shares) all += share.took_ns;
  for (const replay::WorkShare& share : shares)
    table.rows.push_back({name_of(share.work), name_of(share.basis), share.events, share.took_ns * kNano,
                          share.took_ns / all, share.becomes_ns * kNano, share.becomes_ns / share.took_ns});
  return table;
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
    lines.push_back(fmt::format("{} not predicted: {}.", counted_collectives(count), what));
  return lines;
}

}  // namespace cli
