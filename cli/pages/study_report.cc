#include "cli/pages/study_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace cli {
namespace {

using planner::Expectation;
using planner::StudyRow;
using planner::Verdict;

// ---- values

Unit unit_of(const Expectation& e) {
  if (e.change) return Unit::fraction;
  if (e.over) return Unit::number;
  switch (e.asked.measure->unit) {
    case planner::MeasureUnit::fraction:
      return Unit::fraction;
    case planner::MeasureUnit::count:
      return Unit::count;
    case planner::MeasureUnit::seconds:
      return Unit::seconds;
    case planner::MeasureUnit::bytes:
      return Unit::bytes;
    case planner::MeasureUnit::flops_per_byte:
      return Unit::flops_per_byte;
    case planner::MeasureUnit::bytes_per_second:
      return Unit::bytes_per_second;
    case planner::MeasureUnit::number:
      break;
  }
  return Unit::number;
}

Data text_or_null(const std::string& text) { return text.empty() ? Data() : Data(text); }

/// What a quotient is over: the case, and its own `of` where that differs.
std::string base_text(const Expectation& e) {
  if (!e.over) return "";
  const bool same = e.over->asked.text == e.asked.text;
  return same ? e.over->case_name : fmt::format("{}: {}", e.over->case_name, e.over->asked.text);
}

const char* trend_name(const Expectation& e) { return planner::words(*e.trend)[static_cast<size_t>(*e.trend)]; }

const char* verdict_name(const StudyRow& r) { return planner::kVerdictNames[static_cast<size_t>(r.verdict())]; }

/// Null where the paper has no such end.
Data end_of(double figure) { return std::isfinite(figure) ? Data(figure) : Data(); }

// ---- JSON and rows

Data names(const std::vector<std::string>& texts) {
  Data::List list;
  for (const std::string& text : texts) list.emplace_back(text);
  return list;
}

std::vector<Column> row_columns() {
  std::vector<Column> columns;
  for (const char* name :
       {"source",       "case",          "label",       "what",         "of",        "over",  "trend",   "along",
        "paper_low",    "paper_high",    "low",         "high",         "values",    "pairs", "against", "difference",
        "accepted_low", "accepted_high", "assumed_low", "assumed_high", "turned_by", "holds", "verdict", "why"})
    columns.push_back({.name = name});
  return columns;
}

std::vector<Data> row_cells(const StudyRow& r) {
  const Expectation& e = *r.expected;
  std::vector<Data> cells{
      r.source, r.case_name, text_or_null(e.label), e.what, text_or_null(e.asked.text), text_or_null(base_text(e))};
  const auto add = [&](std::vector<Data> more) { cells.insert(cells.end(), more.begin(), more.end()); };
  if (e.trend) add({trend_name(e), e.along, {}, {}, r.low, r.high, r.values, r.pairs, r.against, {}, {}, {}});
  else
    add({{},
         {},
         end_of(e.printed().low),
         end_of(e.printed().high),
         r.low,
         r.high,
         r.values,
         {},
         {},
         r.difference,
         end_of(e.accepted().low),
         end_of(e.accepted().high)});
  add({r.assumed ? Data(r.assumed->low) : Data(), r.assumed ? Data(r.assumed->high) : Data(), names(r.turned_by)});
  add({r.holds, verdict_name(r), text_or_null(e.why)});
  return cells;
}

int64_t count(const std::vector<StudyRow>& rows, Verdict verdict) {
  return std::ranges::count(rows, verdict, &StudyRow::verdict);
}

Data::Object study_summary(const std::vector<StudyRow>& rows) {
  return {{"rows", static_cast<int64_t>(rows.size())}, {"within", count(rows, Verdict::within)},
          {"missed", count(rows, Verdict::missed)},    {"excluded", count(rows, Verdict::excluded)},
          {"shown", count(rows, Verdict::shown)},      {"by_construction", count(rows, Verdict::by_construction)},
          {"fitted", count(rows, Verdict::fitted)}};
}

// ---- text

std::string interval_text(const planner::Interval& i, Unit unit) {
  if (!std::isfinite(i.low) && !std::isfinite(i.high)) return "-";
  const std::string low = figure(i.low, unit), high = figure(i.high, unit);
  if (!std::isfinite(i.high)) return "at least " + low;
  if (!std::isfinite(i.low)) return "at most " + high;
  return low == high ? low : low + " to " + high;
}

/// The paper's word, else the measure and of what.
std::string label_of(const Expectation& e) {
  std::string text = e.label.empty() ? e.what + (e.asked.text.empty() ? "" : " " + e.asked.text) : e.label;
  if (e.taking != planner::Taking::every)
    text += fmt::format(" ({})", planner::kTakingNames[static_cast<size_t>(e.taking)]);
  return text;
}

Data assumed_text(const StudyRow& r, Unit unit) { return r.assumed ? Data(interval_text(*r.assumed, unit)) : Data(); }

std::vector<Data> text_cells(const StudyRow& r) {
  const Expectation& e = *r.expected;
  const Unit unit = unit_of(e);
  const std::string ours = interval_text({r.low, r.high}, unit);
  if (e.trend)
    return {r.case_name,
            label_of(e),
            fmt::format("{} with {}", trend_name(e), e.along),
            ours,
            fmt::format("{} of {} against", r.against, r.pairs),
            {},
            assumed_text(r, unit),
            verdict_name(r)};
  return {r.case_name,
          label_of(e),
          interval_text(e.printed(), unit),
          ours,
          figure(r.difference, unit),
          interval_text(e.accepted(), unit),
          assumed_text(r, unit),
          verdict_name(r)};
}

constexpr const char* kAssumed = "with other assumptions";

Table table_of(const std::string& source) {
  return {.title = source,
          .columns = {{.name = "case"},
                      {.name = "figure"},
                      {.name = "paper"},
                      {.name = "ours"},
                      {.name = "difference", .rank = 2},
                      {.name = "accepted", .rank = 1},
                      {.name = kAssumed, .rank = 3},
                      {.name = "verdict"}}};
}

/// The figures of one verdict as a list, each with its reason; empty: there are none.
std::string reasons(const std::vector<StudyRow>& rows, Verdict verdict, const char* heading) {
  std::string text;
  for (const StudyRow& r : rows) {
    if (r.verdict() != verdict) continue;
    const std::string& why = r.expected->why;
    text += fmt::format("\n- {}, {}, {}: {}", r.source, r.case_name, label_of(*r.expected),
                        why.empty() ? "no reason is known" : why);
    if (verdict == Verdict::missed && r.assumed)
      text += r.turned_by.empty() ? "; within with none of the other assumptions"
                                  : fmt::format("; within with {}", fmt::join(r.turned_by, ", or "));
  }
  return text.empty() ? "" : heading + std::string(":\n") + text;
}

std::string counts_text(const std::vector<StudyRow>& rows) {
  const int64_t within = count(rows, Verdict::within), missed = count(rows, Verdict::missed);
  return fmt::format(
      "{} of {} figures within, {} missed; {} more by construction, {} that a number was fitted to, {} that the text "
      "itself excludes.",
      within, within + missed, missed, count(rows, Verdict::by_construction), count(rows, Verdict::fitted),
      count(rows, Verdict::excluded));
}

std::vector<Block> blocks(const std::vector<StudyRow>& rows) {
  std::vector<Block> out;
  for (size_t first = 0, end = 0; first < rows.size(); first = end) {
    Table table = table_of(rows[first].source);
    bool assumes = false;
    for (end = first; end < rows.size() && rows[end].source == rows[first].source; ++end) {
      table.rows.push_back(text_cells(rows[end]));
      assumes = assumes || rows[end].assumed;
    }
    if (!assumes) table = without(kAssumed, std::move(table));
    out.emplace_back(std::move(table));
  }
  for (const std::string& list :
       {reasons(rows, Verdict::missed, "Missed"), reasons(rows, Verdict::excluded, "Excluded by the text"),
        reasons(rows, Verdict::by_construction, "By construction"), reasons(rows, Verdict::fitted, "Fitted")})
    if (!list.empty()) out.emplace_back(list);
  out.emplace_back(counts_text(rows));
  return out;
}

}  // namespace

Report study_report(const std::vector<StudyRow>& rows) {
  Report report{.format = "trainplan.study/1",
                .document = {{"rows", Data::List{}}, {"summary", study_summary(rows)}},
                .key = "rows",
                .table = {.columns = row_columns()},
                .text = blocks(rows)};
  for (const StudyRow& r : rows) report.table.rows.push_back(row_cells(r));
  return report;
}

}  // namespace cli
