#include "cli/files/partial_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace cli {
namespace {

void check_counts(const planner::SearchResult& result, const JsonObject& space) {
  const auto wrong = [&](const char* key, const std::string& message) { space.wrong(space.place(key), message); };
  if (result.candidates > kMostCount) wrong("candidates", fmt::format("expected {} at most", kMostCount));
  if (result.evaluated > result.candidates) wrong("evaluated", "more candidates were costed than there are");
  if (result.feasible > result.evaluated) wrong("feasible", "more candidates are feasible than were costed");
  if (result.uncertain > result.feasible) wrong("uncertain", "more candidates are uncertain than are feasible");
  int64_t left = result.candidates - result.feasible;
  for (const auto& [rule, count] : result.rejected) {
    if (count > left) return wrong("rejected", "more candidates are feasible or rejected than there are");
    left -= count;
  }
  if (left > 0) wrong("rejected", fmt::format("{} candidates are neither feasible nor rejected", left));
}

void check_figures(const planner::Results& results, const dsl::Node& row, const JsonObject& document) {
  for (const planner::ResultRow& figure : planner::result_figures()) {
    if (figure.kind != planner::ResultRow::Kind::figure || !figure.is_in_shards()) continue;
    const double value = figure.figure(results).value_or(0);
    if (value >= figure.about.least && value <= figure.about.most) continue;
    const dsl::Node* hidden = row.find("partial");
    const dsl::Node* written = row.find(figure.key()) ? row.find(figure.key()) : hidden->find(figure.key());
    document.wrong(written->span, fmt::format("no plan has a {} of {}", figure.key(), value));
  }
  const planner::StepTime& step = results.step;
  if (step.low_seconds > step.seconds || step.seconds > step.high_seconds)
    document.wrong(row.span, "the step is outside its own interval");
}

void check_rows(const std::vector<planner::Found>& rows, const char* key, const JsonObject& document) {
  const std::vector<dsl::Node>& written = document.list(key);
  std::set<planner::Position> seen;
  for (size_t i = 0; i < rows.size() && document.good(); ++i) {
    if (!seen.insert(rows[i].position).second) document.wrong(written[i].span, "this row is there twice");
    check_figures(rows[i].results, written[i], document);
  }
}

}  // namespace

void check_possible(const Partial& partial, const JsonObject& document) {
  const planner::SearchResult& result = partial.result;
  if (!document.good()) return;
  check_counts(result, document.object("space"));
  check_rows(result.plans, "plans", document);
  if (!partial.options.pareto.empty()) check_rows(result.pareto, "pareto", document);
  const size_t kept = std::min(partial.options.top, static_cast<size_t>(result.feasible));
  const bool scouts = result.unfinished && partial.options.shards == 1;  // it begins with plans that it comes to later
  const auto usual = std::ranges::count_if(result.plans, [&](const planner::Found& f) {  // behind the best ones
    return f.departures < result.plans.front().departures;
  });
  const size_t most = (scouts ? partial.options.top : kept) + static_cast<size_t>(usual);
  if (result.plans.size() < kept || result.plans.size() > most)
    document.wrong(document.place("plans"), fmt::format("{} rows, where {} candidates are feasible and --top was {}",
                                                        result.plans.size(), result.feasible, partial.options.top));
}

}  // namespace cli
