#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/pages/study_pages.h"
#include "cli/report/facts.h"
#include "cli/report/row_fields.h"
#include "planner/studies/runs/score.h"

namespace cli {
namespace {

using planner::Figures;
using planner::GroupFigures;
using planner::ScoredRun;
using planner::TimeFigures;

constexpr size_t kMostShownRows = 40;    // more rows than that are for JSON and CSV
constexpr int64_t kSearchedLayouts = 8;  // a problem with this many layouts also reports the cost of searching them

// ---- JSON and rows

const char* memory_kind(const ScoredRun& r) {
  return planner::kMemoryKindNames[static_cast<size_t>(r.run.measured.memory_kind)];
}

Data assumptions(const ScoredRun& r) {
  Data::List out;
  for (const planner::Assumption& a : r.prediction.assumptions)
    out.push_back(Data::Object{{"field", a.field}, {"value", a.value}});
  return out;
}

/// Of a run that took place, and that its plan calls infeasible; "": it does not.
std::string why_infeasible(const ScoredRun& r) {
  return r.prediction.violations.empty() ? "" : r.prediction.violations[0].message;
}

/// Of a figure of the prediction: null where the run was skipped.
template <class Of> auto predicted(Of of) {
  return [of](const ScoredRun& r) { return r.skipped() ? Data() : Data(std::invoke(of, r.prediction)); };
}
auto step_time(double planner::StepTime::*time) {
  return predicted([time](const planner::Prediction& p) { return p.step.*time; });
}

Table row_table(const std::vector<ScoredRun>& rows) {
  using planner::StepTime;
  const RowFields<ScoredRun> fields{
      {"id", [](auto& r) { return r.run.id; }},
      {"group", or_null([](auto& r) { return r.run.group; }), Unit::text, "", 12},
      {"problem", &ScoredRun::problem, Unit::text, "", 16},
      {"quality", or_null([](auto& r) { return r.run.quality; }), Unit::text, "", 11},
      {"gpu", [](auto& r) { return r.run.config.gpu; }, Unit::text, "", 10},
      {"precision", [](auto& r) { return r.run.config.precision; }, Unit::text, "", 9},
      {"software", [](auto& r) { return r.run.config.software; }, Unit::text, "", 8},
      {"measured_seconds", &ScoredRun::measured_seconds, Unit::seconds, "measured"},
      {"predicted_seconds", step_time(&StepTime::seconds), Unit::seconds, "predicted"},
      {"low_seconds", step_time(&StepTime::low_seconds), Unit::seconds, "low", 6},
      {"high_seconds", step_time(&StepTime::high_seconds), Unit::seconds, "high", 7},
      {"error", &ScoredRun::error, Unit::fraction},
      {"measured_memory_bytes", [](auto& r) { return r.run.measured.memory_bytes; }, Unit::memory, "measured", 3},
      {"predicted_memory_bytes", &ScoredRun::predicted_memory_bytes, Unit::memory, "predicted", 4},
      {"memory_kind", or_null(memory_kind), Unit::text, "kind", 5},
      {"memory_error", &ScoredRun::memory_error, Unit::fraction, "memory", 1},
      {"fit_probability", predicted(&planner::Prediction::fit_probability), Unit::fraction, "fits", 13},
      {"violation", or_null(why_infeasible), Unit::text, "", 14},
      {"assumptions", assumptions, Unit::text, "", 15},
      {"skipped", or_null([](auto& r) { return r.prediction.skipped; }), Unit::text, "", 2},
  };
  return fields.table(rows);
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
  return joined(
      joined({{"rows", f.rows}, {"predicted", f.predicted}, {"skipped", f.skipped}}, time_members(f.time)),
      {{"memory_mape", f.memory_mape}, {"mean_group_mape", f.mean_group_mape}, {"left_out", time_members(f.unseen)}});
}

Data groups(const std::vector<GroupFigures>& groups, const char* name) {
  return list_of(groups, [&](const GroupFigures& g) { return joined({{name, g.group}}, figure_members(g.figures)); });
}

RowFields<planner::ProblemScore> problem_fields() {
  using planner::ProblemScore;
  return {{"problem", &ProblemScore::problem, Unit::text, ""},
          {"layouts", &ProblemScore::layouts, Unit::count, ""},
          {"regret", &ProblemScore::regret, Unit::fraction, ""},
          {"rank_correlation", &ProblemScore::rank_correlation, Unit::number, "", 0, "rank corr."}};
}

// ---- text

/// A figure of the rows' times.
auto time_of(std::optional<double> planner::TimeFigures::*figure) {
  return [figure](const GroupFigures& g) { return g.figures.time.*figure; };
}
/// The same of plans that have not seen the rows' families.
auto left_out(std::optional<double> planner::TimeFigures::*figure) {
  return [figure](const GroupFigures& g) { return g.figures.unseen.*figure; };
}

Table group_table(const planner::Score& score) {
  const RowFields<GroupFigures> fields{
      {"group", &GroupFigures::group},
      {"rows", [](auto& g) { return g.figures.rows; }, Unit::count},
      {"predicted", [](auto& g) { return g.figures.predicted; }, Unit::count},
      {"skipped", [](auto& g) { return g.figures.skipped; }, Unit::count, "", 3},
      {"MAPE", time_of(&TimeFigures::mape), Unit::fraction},
      {"bias", time_of(&TimeFigures::bias), Unit::fraction},
      {"max", time_of(&TimeFigures::max_ape), Unit::fraction},
      {"median", time_of(&TimeFigures::median_ape), Unit::fraction, "", 4},
      {"memory", [](auto& g) { return g.figures.memory_mape; }, Unit::fraction},
  };
  return fields.table(score.groups, "Groups");
}

/// Figures of rows that are alike in something, beside those of plans that have not seen the rows' families.
Table class_table(const char* title, const char* name, const std::vector<GroupFigures>& classes) {
  const RowFields<GroupFigures> fields{
      {name, &GroupFigures::group},
      {"predicted", [](auto& g) { return g.figures.predicted; }, Unit::count, "rows"},
      {"MAPE", time_of(&TimeFigures::mape), Unit::fraction},
      {"bias", time_of(&TimeFigures::bias), Unit::fraction},
      {"inside", time_of(&TimeFigures::inside_interval), Unit::fraction},
      {"left_out_mape", left_out(&TimeFigures::mape), Unit::fraction, "left out"},
      {"left_out_inside", left_out(&TimeFigures::inside_interval), Unit::fraction, "inside"},
  };
  return fields.table(classes, title);
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
  t.rows.push_back({fmt::format("regret ({}), largest", counted(count, "problem")),
                    figure(sum / static_cast<double>(count), Unit::fraction) + ", " + figure(most, Unit::fraction),
                    ""});
}

Table summary_table(const planner::Score& score) {
  const Figures& f = score.summary;
  const auto percent = [](const std::optional<double>& x) { return figure(x, Unit::fraction); };
  Table t{.title = "Summary", .columns = {{.name = "figure"}, {.name = "value"}, {.name = "left out"}}};
  t.rows = {{"rows", fmt::format("{}, {} predicted, {} skipped", f.rows, f.predicted, f.skipped), ""}};
  const auto add = [&](const char* name, std::initializer_list<std::optional<double> TimeFigures::*> figures) {
    const auto text = [&](const TimeFigures& time) {
      std::string out;
      for (const auto figure : figures) out += (out.empty() ? "" : ", ") + percent(time.*figure);
      return out;
    };
    t.rows.push_back({name, text(f.time), text(f.unseen)});
  };
  add("mean absolute error", {&TimeFigures::mape});
  add("median, largest", {&TimeFigures::median_ape, &TimeFigures::max_ape});
  add("bias", {&TimeFigures::bias});
  add("within 10 %", {&TimeFigures::within_10_percent});
  add("inside the 80 % interval", {&TimeFigures::inside_interval});
  add("half-width of it, median", {&TimeFigures::half_width});
  t.rows.push_back({"mean over groups", percent(f.mean_group_mape), ""});
  t.rows.push_back({"memory: mean absolute error", percent(f.memory_mape), ""});
  add_regret(score, t);
  return t;
}

Table infeasible_table(const planner::Score& score) {
  Table t{.title = "Predicted not to fit", .columns = {{.name = "run"}, {.name = "why"}}};
  for (const ScoredRun& r : score.rows)
    if (const std::string why = why_infeasible(r); !why.empty()) t.rows.push_back({r.run.id, why});
  return t;
}

std::vector<Block> blocks(const Table& rows, const planner::Score& score) {
  std::vector<Block> out;
  if (!rows.rows.empty() && rows.rows.size() < kMostShownRows) out.push_back(rows);
  out.push_back(group_table(score));
  add_tables({class_table("Classes, as planned and with their families left out", "class", score.classes),
              class_table("Families (software, generation, kind and width), as planned and left out", "family",
                          score.families),
              problem_fields().page("Problems of two layouts and more", score.problems), skipped_table(score),
              infeasible_table(score)},
             out);
  out.push_back(summary_table(score));
  return out;
}

}  // namespace

Report validate_report(const planner::Score& score) {
  const Table rows = row_table(score.rows);
  return {.format = "trainplan.validate/1",
          .document = {{"rows", Data::List{}},
                       {"summary", figure_members(score.summary)},
                       {"groups", groups(score.groups, "group")},
                       {"classes", groups(score.classes, "class")},
                       {"families", groups(score.families, "family")},
                       {"problems", problem_fields().list(score.problems)}},
          .key = "rows",
          .table = rows,
          .text = blocks(rows, score)};
}

}  // namespace cli
