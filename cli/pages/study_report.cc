#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "cli/pages/study_pages.h"
#include "cli/report/row_fields.h"
#include "planner/studies/published/study.h"

namespace cli {
namespace {

using planner::Expectation;
using planner::StudyRow;
using planner::Verdict;

// ---- values

Unit unit_of(const Expectation& e) {
  if (e.change) return Unit::fraction;
  return e.over ? Unit::number : e.asked.measure->unit;
}

/// What a quotient is over: the case, and its own `of` where that differs.
std::string base_text(const Expectation& e) {
  if (!e.over) return "";
  const bool same = e.over->asked.text == e.asked.text;
  return same ? e.over->case_name : fmt::format("{}: {}", e.over->case_name, e.over->asked.text);
}

const char* trend_name(const Expectation& e) { return dsl::word_of(*e.trend); }

const char* verdict_name(const StudyRow& r) { return planner::kVerdictNames[static_cast<size_t>(r.verdict())]; }

// ---- JSON and rows

/// Of the expectation of a row.
template <class Of> auto expected(Of of) {
  return [of](const StudyRow& r) { return field_data(std::invoke(of, *r.expected)); };
}
/// The same of one that names a trend, or of one that names none; null of the others.
template <class Of> auto of_trend(Of of) {
  return [of](const StudyRow& r) { return r.expected->trend ? field_data(std::invoke(of, r)) : Data(); };
}
template <class Of> auto of_figure(Of of) {
  return [of](const StudyRow& r) { return r.expected->trend ? Data() : field_data(std::invoke(of, r)); };
}
/// An end of the paper's interval, or of the accepted one; null if there is no such end.
auto end_of(planner::Interval (Expectation::*interval)() const, double planner::Interval::*end) {
  return of_figure([=](const StudyRow& r) {
    const double figure = ((*r.expected).*interval)().*end;
    return std::isfinite(figure) ? Data(figure) : Data();
  });
}

Table row_table(const std::vector<StudyRow>& rows) {
  using planner::Interval;
  const RowFields<StudyRow> fields{
      {"source", &StudyRow::source},
      {"case", &StudyRow::case_name},
      {"label", expected(or_null(&Expectation::label))},
      {"what", expected(&Expectation::what)},
      {"of", expected(or_null([](auto& e) { return e.asked.text; }))},
      {"over", expected(or_null(base_text))},
      {"trend", of_trend(expected(trend_name))},
      {"along", of_trend(expected(&Expectation::along))},
      {"paper_low", end_of(&Expectation::printed, &Interval::low)},
      {"paper_high", end_of(&Expectation::printed, &Interval::high)},
      {"low", &StudyRow::low},
      {"high", &StudyRow::high},
      {"values", &StudyRow::values},
      {"pairs", of_trend(&StudyRow::pairs)},
      {"against", of_trend(&StudyRow::against)},
      {"difference", of_figure(&StudyRow::difference)},
      {"accepted_low", end_of(&Expectation::accepted, &Interval::low)},
      {"accepted_high", end_of(&Expectation::accepted, &Interval::high)},
      {"assumed_low", [](auto& r) { return r.assumed ? Data(r.assumed->low) : Data(); }},
      {"assumed_high", [](auto& r) { return r.assumed ? Data(r.assumed->high) : Data(); }},
      {"turned_by", &StudyRow::turned_by},
      {"holds", &StudyRow::holds},
      {"verdict", verdict_name},
      {"why", expected(or_null(&Expectation::why))},
  };
  return fields.table(rows);
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

constexpr const char* kAssumed = "with other assumptions";

Table page_table(const std::string& source, std::span<const StudyRow> rows) {
  const auto text = [](const planner::Interval& i, const StudyRow& r) {
    return interval_text(i, unit_of(*r.expected));
  };
  const auto paper = [&](const StudyRow& r) {
    const Expectation& e = *r.expected;
    return e.trend ? fmt::format("{} with {}", trend_name(e), e.along) : text(e.printed(), r);
  };
  const auto difference = [](const StudyRow& r) {
    return r.expected->trend ? fmt::format("{} of {} against", r.against, r.pairs)
                             : figure(r.difference, unit_of(*r.expected));
  };
  const RowFields<StudyRow> fields{
      {"case", &StudyRow::case_name},
      {"figure", expected(label_of)},
      {"paper", paper},
      {"ours",
       [&](auto& r) {
         return text({r.low, r.high}, r);
       }},
      {"difference", difference, Unit::text, "", 2},
      {"accepted", of_figure([&](auto& r) { return text(r.expected->accepted(), r); }), Unit::text, "", 1},
      {kAssumed, [&](auto& r) { return r.assumed ? Data(text(*r.assumed, r)) : Data(); }, Unit::text, "", 3},
      {"verdict", verdict_name},
  };
  Table table = fields.table(rows, source);
  const bool assumes = std::ranges::any_of(rows, [](const StudyRow& r) { return r.assumed.has_value(); });
  return assumes ? table : without(kAssumed, std::move(table));
}

/// The figures of one verdict as a list, each with its reason; empty if there are none.
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
  for (auto first = rows.begin(), end = first; first != rows.end(); first = end) {
    end = std::find_if(first, rows.end(), [&](const StudyRow& r) { return r.source != first->source; });
    out.emplace_back(page_table(first->source, {first, end}));
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
  return {.format = "trainplan.study/1",
          .document = {{"rows", Data::List{}}, {"summary", study_summary(rows)}},
          .key = "rows",
          .table = row_table(rows),
          .text = blocks(rows)};
}

}  // namespace cli
