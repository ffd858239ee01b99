#include "cli/pages/validate_report.h"

#include <fmt/format.h>

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

/// Of a run that took place, and that its plan calls infeasible; null: it does not.
const std::string* why_infeasible(const ScoredRun& r) {
  return r.prediction.violations.empty() ? nullptr : &r.prediction.violations[0].message;
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
          {.name = "violation", .rank = 14},
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
          why_infeasible(r) ? Data(*why_infeasible(r)) : Data(),
          assumptions(r),
          text_or_null(r.prediction.skipped)};
}

Data::Object time_members(const planner::TimeFigures& f) {
  return {{"mape", f.mape},
          {"median_ape", f.median_ape},
          {"max_ape", f.max_ape},
          {"bias", f.bias},
          {"within_10_percent", f.within_10_percent},
          {"inside_interval", f.inside_interval},
          {"half_width", f.half_width}};
}

Data::Object figure_members(const Figures& f) {
  Data::Object members{{"rows", f.rows}, {"predicted", f.predicted}, {"skipped", f.skipped}};
  for (Member& m : time_members(f.time)) members.push_back(std::move(m));
  members.push_back({"memory_mape", f.memory_mape});
  members.push_back({"mean_group_mape", f.mean_group_mape});
  members.push_back({"left_out", time_members(f.unseen)});
  return members;
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
    const planner::TimeFigures& time = f.time;
    t.rows.push_back(
        {g.group, f.rows, f.predicted, f.skipped, time.mape, time.bias, time.max_ape, time.median_ape, f.memory_mape});
  }
  return t;
}

/// Figures of rows that are alike in something, beside those of plans that have not seen the rows' families.
Table class_table(const char* title, const char* name, const std::vector<planner::GroupFigures>& classes) {
  Table t{.title = title,
          .columns = {{.name = name},
                      {.name = "predicted", .unit = Unit::count, .heading = "rows"},
                      {.name = "MAPE", .unit = Unit::fraction},
                      {.name = "bias", .unit = Unit::fraction},
                      {.name = "inside", .unit = Unit::fraction, .heading = "inside"},
                      {.name = "left_out_mape", .unit = Unit::fraction, .heading = "left out"},
                      {.name = "left_out_inside", .unit = Unit::fraction, .heading = "inside"}}};
  for (const planner::GroupFigures& g : classes) {
    const planner::TimeFigures &time = g.figures.time, &unseen = g.figures.unseen;
    t.rows.push_back({g.group, g.figures.predicted, time.mape, time.bias, time.inside_interval, unseen.mape,
                      unseen.inside_interval});
  }
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

/// What the layouts that are predicted best cost over the best, where many were measured.
void add_regret(const planner::Score& score, Table& t) {
  double sum = 0, most = 0;
  int64_t count = 0;
  for (const planner::ProblemScore& p : score.problems) {
    if (p.layouts < kSearchedLayouts) continue;
    sum += p.regret, most = std::max(most, p.regret), ++count;
  }
  if (count == 0) return;
  t.rows.push_back({fmt::format("regret ({} problem{}), largest", count, count == 1 ? "" : "s"),
                    figure(sum / static_cast<double>(count), Unit::fraction) + ", " + figure(most, Unit::fraction),
                    ""});
}

Table summary_table(const planner::Score& score) {
  const Figures& f = score.summary;
  const auto percent = [](const std::optional<double>& x) { return figure(x, Unit::fraction); };
  Table t{.title = "Summary", .columns = {{.name = "figure"}, {.name = "value"}, {.name = "left out"}}};
  t.rows = {{"rows",
             std::to_string(f.rows) + ", " + std::to_string(f.predicted) + " predicted, " + std::to_string(f.skipped) +
                 " skipped",
             ""}};
  const auto add = [&](const char* name, auto text_of) {
    t.rows.push_back({name, text_of(f.time), text_of(f.unseen)});
  };
  using planner::TimeFigures;
  add("mean absolute error", [&](const TimeFigures& time) { return percent(time.mape); });
  add("median, largest",
      [&](const TimeFigures& time) { return percent(time.median_ape) + ", " + percent(time.max_ape); });
  add("bias", [&](const TimeFigures& time) { return percent(time.bias); });
  add("within 10 %", [&](const TimeFigures& time) { return percent(time.within_10_percent); });
  add("inside the 80 % interval", [&](const TimeFigures& time) { return percent(time.inside_interval); });
  add("half-width of it, median", [&](const TimeFigures& time) { return percent(time.half_width); });
  t.rows.push_back({"mean over groups", percent(f.mean_group_mape), ""});
  t.rows.push_back({"memory: mean absolute error", percent(f.memory_mape), ""});
  add_regret(score, t);
  return t;
}

Table infeasible_table(const planner::Score& score) {
  Table t{.title = "Predicted not to fit", .columns = {{.name = "run"}, {.name = "why"}}};
  for (const ScoredRun& r : score.rows)
    if (const std::string* why = why_infeasible(r)) t.rows.push_back({r.run.id, *why});
  return t;
}

std::vector<Block> blocks(const Report& report, const planner::Score& score) {
  std::vector<Block> out;
  if (!report.table.rows.empty() && report.table.rows.size() < kMostShownRows) out.push_back(report.table);
  out.push_back(group_table(score));
  for (Table table : {class_table("Classes, as planned and with their families left out", "class", score.classes),
                      class_table("Families (software, generation, kind and width), as planned and left out", "family",
                                  score.families),
                      problem_table(score), skipped_table(score), infeasible_table(score)})
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
