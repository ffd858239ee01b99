#include "cli/pages/validate_report.h"

#include <algorithm>
#include <map>

#include "planner/plan/breakdown.h"

namespace cli {
namespace {

using planner::Figures;
using planner::ScoredRun;

constexpr size_t kMostShownRows = 40;    // more rows than that are for JSON and CSV
constexpr int64_t kSearchedLayouts = 8;  // a problem of so many layouts says what a search would have cost

// ---- JSON and rows

const char* kind_name(planner::MemoryKind kind) {
  switch (kind) {
    case planner::MemoryKind::allocated:
      return "allocated";
    case planner::MemoryKind::reserved:
      return "reserved";
    case planner::MemoryKind::device:
      return "device";
    case planner::MemoryKind::none:
      break;
  }
  return nullptr;
}

Data text_or_null(const std::string& text) { return text.empty() ? Data() : Data(text); }

Data assumptions(const ScoredRun& r) {
  Data::List out;
  for (const planner::Assumption& a : r.prediction.assumptions)
    out.push_back(Data::Object{{"field", a.field}, {"value", a.value}});
  return out;
}

std::vector<Column> row_columns() {
  return {{.name = "id", .rank = 0},
          {.name = "group", .rank = 12},
          {.name = "problem", .rank = 16},
          {.name = "quality", .rank = 11},
          {.name = "gpu", .rank = 10},
          {.name = "precision", .rank = 9},
          {.name = "software", .rank = 8},
          {.name = "measured_seconds", .unit = Unit::seconds, .rank = 0, .heading = "measured"},
          {.name = "predicted_seconds", .unit = Unit::seconds, .rank = 0, .heading = "predicted"},
          {.name = "low_seconds", .unit = Unit::seconds, .rank = 6, .heading = "low"},
          {.name = "high_seconds", .unit = Unit::seconds, .rank = 7, .heading = "high"},
          {.name = "error", .unit = Unit::fraction, .rank = 0},
          {.name = "measured_memory_bytes", .unit = Unit::memory, .rank = 3, .heading = "measured"},
          {.name = "predicted_memory_bytes", .unit = Unit::memory, .rank = 4, .heading = "predicted"},
          {.name = "memory_kind", .rank = 5, .heading = "kind"},
          {.name = "memory_error", .unit = Unit::fraction, .rank = 1, .heading = "memory"},
          {.name = "fit_probability", .unit = Unit::fraction, .rank = 13, .heading = "fits"},
          {.name = "assumptions", .rank = 15},
          {.name = "skipped", .rank = 2}};
}

std::vector<Data> row_cells(const ScoredRun& r) {
  const planner::Run& run = r.run;
  auto time = [&](double seconds) { return r.skipped() ? Data() : Data(seconds); };
  const char* kind = kind_name(run.measured.memory_kind);
  return {run.id,
          text_or_null(run.group),
          r.problem,
          text_or_null(run.quality),
          run.config.gpu,
          run.config.precision,
          run.config.software,
          r.measured_seconds,
          time(r.prediction.step.seconds),
          time(r.prediction.step.low_seconds),
          time(r.prediction.step.high_seconds),
          r.error,
          run.measured.memory_bytes,
          r.predicted_memory_bytes,
          kind ? Data(kind) : Data(),
          r.memory_error,
          time(r.prediction.fit_probability),
          assumptions(r),
          text_or_null(r.prediction.skipped)};
}

Data::Object figure_members(const Figures& f) {
  return {{"rows", f.rows},
          {"predicted", f.predicted},
          {"skipped", f.skipped},
          {"mape", f.mape},
          {"median_ape", f.median_ape},
          {"max_ape", f.max_ape},
          {"bias", f.bias},
          {"within_10_percent", f.within_10_percent},
          {"inside_interval", f.inside_interval},
          {"memory_mape", f.memory_mape},
          {"mean_group_mape", f.mean_group_mape}};
}

Data groups(const std::vector<planner::GroupFigures>& groups, const char* name) {
  Data::List out;
  for (const planner::GroupFigures& g : groups) {
    Data::Object members{{name, g.group}};
    for (Member& m : figure_members(g.figures)) members.push_back(std::move(m));
    out.push_back(std::move(members));
  }
  return out;
}

Data problems(const planner::Score& score) {
  Data::List out;
  for (const planner::ProblemScore& p : score.problems)
    out.push_back(Data::Object{{"problem", p.problem},
                               {"layouts", p.layouts},
                               {"regret", p.regret},
                               {"rank_correlation", p.rank_correlation}});
  return out;
}

// ---- text

Table group_table(const planner::Score& score) {
  Table t{.title = "Groups",
          .columns = {{.name = "group"},
                      {.name = "rows", .unit = Unit::count},
                      {.name = "predicted", .unit = Unit::count},
                      {.name = "skipped", .unit = Unit::count, .rank = 3},
                      {.name = "MAPE", .unit = Unit::fraction},
                      {.name = "bias", .unit = Unit::fraction},
                      {.name = "max", .unit = Unit::fraction},
                      {.name = "median", .unit = Unit::fraction, .rank = 4},
                      {.name = "memory", .unit = Unit::fraction}}};
  for (const planner::GroupFigures& g : score.groups) {
    const Figures& f = g.figures;
    t.rows.push_back({g.group, f.rows, f.predicted, f.skipped, f.mape, f.bias, f.max_ape, f.median_ape, f.memory_mape});
  }
  return t;
}

/// Figures of rows that are alike in something.
Table class_table(const char* title, const char* name, const std::vector<planner::GroupFigures>& classes) {
  Table t{.title = title,
          .columns = {{.name = name},
                      {.name = "predicted", .unit = Unit::count},
                      {.name = "MAPE", .unit = Unit::fraction},
                      {.name = "bias", .unit = Unit::fraction},
                      {.name = "inside", .unit = Unit::fraction, .heading = "inside the 80 % interval"}}};
  for (const planner::GroupFigures& g : classes)
    t.rows.push_back({g.group, g.figures.predicted, g.figures.mape, g.figures.bias, g.figures.inside_interval});
  return t;
}

Table problem_table(const planner::Score& score) {
  Table t{.title = "Problems of two layouts and more",
          .columns = {{.name = "problem"},
                      {.name = "layouts", .unit = Unit::count},
                      {.name = "regret", .unit = Unit::fraction},
                      {.name = "rank corr.", .unit = Unit::number}}};
  for (const planner::ProblemScore& p : score.problems)
    t.rows.push_back({p.problem, p.layouts, p.regret, p.rank_correlation});
  return t;
}

/// Reasons with their rows; what differs from row to row behind a colon is left out.
Table skipped_table(const planner::Score& score) {
  std::map<std::string, int64_t> counts;
  for (const ScoredRun& r : score.rows)
    if (r.skipped())
      ++counts[r.prediction.skipped.starts_with("infeasible layout:") ? "infeasible layout" : r.prediction.skipped];
  Table t{.title = "Skipped", .columns = {{.name = "reason"}, {.name = "rows", .unit = Unit::count}}};
  for (const auto& [reason, count] : counts) t.rows.push_back({reason, count});
  std::stable_sort(t.rows.begin(), t.rows.end(),
                   [](const auto& a, const auto& b) { return a[1].number() > b[1].number(); });
  return t;
}

int64_t too_large(const planner::Score& score) {
  return std::count_if(score.rows.begin(), score.rows.end(),
                       [](const ScoredRun& r) { return !r.prediction.violations.empty(); });
}

/// Half of what lies between low and high, as a share of the predicted time: the median over rows compared in time.
std::optional<double> median_half_width(const planner::Score& score) {
  std::vector<double> widths;
  for (const ScoredRun& r : score.rows)
    if (const planner::StepTime& t = r.prediction.step; r.error)
      widths.push_back((t.high_seconds - t.low_seconds) / (2 * t.seconds));
  return widths.empty() ? std::nullopt : std::optional(planner::median(std::move(widths)));
}

/// What the layouts that are predicted best cost over the best, where many were measured. Empty where none were.
std::string regret_text(const planner::Score& score) {
  double sum = 0, most = 0;
  int64_t count = 0;
  for (const planner::ProblemScore& p : score.problems) {
    if (p.layouts < kSearchedLayouts) continue;
    sum += p.regret, most = std::max(most, p.regret), ++count;
  }
  if (count == 0) return {};
  return "mean " + figure(sum / static_cast<double>(count), Unit::fraction) + ", largest " +
         figure(most, Unit::fraction) + ", of " + std::to_string(count) + " problems";
}

Table summary_table(const planner::Score& score) {
  const Figures& f = score.summary;
  auto percent = [](const std::optional<double>& x) { return figure(x, Unit::fraction); };
  Table t{.title = "Summary", .columns = {{.name = "figure"}, {.name = "value"}}, .header = false};
  t.rows = {{"rows", std::to_string(f.rows) + ", " + std::to_string(f.predicted) + " predicted, " +
                         std::to_string(f.skipped) + " skipped"},
            {"mean absolute error", percent(f.mape)},
            {"median, largest", percent(f.median_ape) + ", " + percent(f.max_ape)},
            {"bias", percent(f.bias)},
            {"within 10 %", percent(f.within_10_percent)},
            {"inside the 80 % interval", percent(f.inside_interval)},
            {"half-width of it, median", percent(median_half_width(score))},
            {"mean over groups", percent(f.mean_group_mape)},
            {"memory: mean absolute error", percent(f.memory_mape)},
            {"predicted not to fit", std::to_string(too_large(score)) + " rows"}};
  if (std::string regret = regret_text(score); !regret.empty())
    t.rows.push_back({"regret with " + std::to_string(kSearchedLayouts) + " layouts and more", regret});
  return t;
}

std::vector<Block> blocks(const Report& report, const planner::Score& score) {
  std::vector<Block> out;
  if (!report.table.rows.empty() && report.table.rows.size() < kMostShownRows) out.push_back(report.table);
  out.push_back(group_table(score));
  for (Table table :
       {class_table("Classes: kinds of jobs, generations of accelerators", "class", score.classes),
        class_table("Families: software, generation of accelerators, kind and width of jobs", "family", score.families),
        problem_table(score), skipped_table(score)})
    if (!table.rows.empty()) out.push_back(std::move(table));
  out.push_back(summary_table(score));
  return out;
}

}  // namespace

Report validate_report(const planner::Score& score) {
  Report report{
      .format = "trainplan.validate/1", .document = {}, .key = "rows", .table = {.columns = row_columns()}, .text = {}};
  for (const ScoredRun& r : score.rows) report.table.rows.push_back(row_cells(r));
  report.document = {{"rows", Data::List{}},
                     {"summary", figure_members(score.summary)},
                     {"groups", groups(score.groups, "group")},
                     {"classes", groups(score.classes, "class")},
                     {"families", groups(score.families, "family")},
                     {"problems", problems(score)}};
  report.text = blocks(report, score);
  return report;
}

}  // namespace cli
