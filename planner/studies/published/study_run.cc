// A study's cases walked, and its expectations judged.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "dsl/raw_text.h"
#include "planner/plan/ops.h"
#include "planner/plan/violations.h"
#include "planner/resolve/read.h"
#include "planner/search/candidate.h"
#include "planner/search/search.h"
#include "planner/studies/published/study.h"

namespace planner {
namespace {

/// The values of one measure over the configurations of a case, in the order of the walk.
using Series = std::vector<double>;

/// A case after its walk.
struct CaseSeries {
  std::vector<std::string> choices;             // paths
  std::vector<std::vector<dsl::Value>> points;  // their values
  std::map<const AskedMeasure*, Series> series;
};

/// Results by name, for expressions; `any`: each may have any value of its dimension.
std::map<std::string, dsl::Value> any_results() {
  std::map<std::string, dsl::Value> any;
  for (const ResultRow& row : result_rows()) any[row.name] = {dsl::Number{1, row.scale.dim}};
  return any;
}

std::string point_text(const CaseSeries& w) {
  std::string text;
  for (size_t i = 0; i < w.choices.size(); ++i)
    text += fmt::format("{}{}={}", text.empty() ? " (" : " ", w.choices[i], dsl::to_text(w.points.back()[i]));
  return text.empty() ? "" : text + ")";
}

class CaseWalk {
 public:
  CaseWalk(const Case& c, const std::vector<const AskedMeasure*>& asked, dsl::Diagnostics& diagnostics)
      : case_(c), asked_(asked), diagnostics_(diagnostics) {}

  CaseSeries walk(const OpenScenario& open) {
    walked_.choices = choice_names(open.space);
    if (!open.sample.lengths.shares.empty())
      error(open.space.record().find("job.sequence")->span, "the cases of a study have one sequence length each");
    for (const AskedMeasure* a : asked_) check_expression(*a, open);
    if (diagnostics_.has_errors()) return {};
    dsl::Cursor cursor(open.space);
    Candidate candidate(open);
    while (!diagnostics_.has_errors() && cursor.next()) {
      if (cursor.refusal() == dsl::Refusal::where) {
        candidate.skip(cursor);
        continue;
      }
      if (cursor.refusal() != dsl::Refusal::none) {
        error(case_.span, fmt::format("case '{}': '{}' has no value that its field can hold in every combination",
                                      case_.name, open.space.items()[cursor.refused_at()].path));
        break;
      }
      visit(candidate.at(cursor), open, cursor);
    }
    if (walked_.points.empty()) error(case_.span, fmt::format("case '{}' has no configuration", case_.name));
    else check_filters();
    return std::move(walked_);
  }

 private:
  void error(dsl::Span span, std::string message, std::string hint = {}) {
    diagnostics_.error(span, std::move(message), std::move(hint));
  }

  void check_expression(const AskedMeasure& a, const OpenScenario& open) {
    if (!a.expression.tree) return;
    const auto value = dsl::evaluate(a.expression, open.space.record(), any_results(), diagnostics_);
    if (value && !std::holds_alternative<dsl::Number>(value->v))
      error(a.expression.span, "expected a number, such as job.sequence * job.global_batch");
  }

  void visit(const Scenario& scenario, const OpenScenario& open, dsl::Cursor& cursor) {
    walked_.points.push_back(chosen(open.space, cursor));
    if (const auto violations = layout_violations(scenario); !violations.empty())
      return error(case_.span, fmt::format("case '{}' is not feasible: {}{}", case_.name, violations[0].message,
                                           point_text(walked_)));
    MeasureSubject subject(scenario);
    for (const AskedMeasure* a : asked_) {
      if (!(a->each ? ask_each(*a, subject) : ask(*a, subject, cursor)))
        return error(a->span, fmt::format("'{}' has no value in case '{}'{}", a->measure->name, case_.name,
                                          point_text(walked_)));
      note_words(*a, subject);
    }
  }

  bool keep(const AskedMeasure& a, std::optional<double> value) {
    if (!value || !std::isfinite(*value)) return false;
    walked_.series[&a].push_back(*value);
    return true;
  }
  bool ask(const AskedMeasure& a, MeasureSubject& subject, dsl::Cursor& cursor) {
    return keep(a, a.expression.tree ? expression_value(a, subject, cursor) : a.measure->value(subject, a));
  }
  bool ask_each(const AskedMeasure& a, MeasureSubject& subject) {
    AskedMeasure one = a;
    bool any = false;
    for (const OperatorRow& row : subject.operators()) {
      if (!matches(a.filter, row)) continue;
      one.filter.only = &row;
      any = true;
      if (!keep(a, a.measure->value(subject, one))) return false;
    }
    return any;
  }

  static std::optional<double> expression_value(const AskedMeasure& a, MeasureSubject& subject, dsl::Cursor& cursor) {
    const auto value = cursor.evaluate(a.expression, result_values(results_of(subject.plan())));
    const dsl::Number* number = value ? std::get_if<dsl::Number>(&value->v) : nullptr;
    return number ? std::optional(number->value) : std::nullopt;
  }

  // A word that no operator has is a typing mistake.
  void note_words(const AskedMeasure& a, MeasureSubject& subject) {
    for (const OperatorFilter::OperatorColumn& c : a.filter.columns)
      for (const OperatorFilter::FilterWord& w : c.words) {
        if (found_.contains(&w)) continue;
        for (const OperatorRow& row : subject.operators()) {
          if (matches(c, w.text, row)) found_.insert(&w);
          present_[c.name].insert(row.*c.field);
        }
      }
  }
  void check_filters() {
    for (const AskedMeasure* a : asked_)
      for (const OperatorFilter::OperatorColumn& c : a->filter.columns)
        for (const OperatorFilter::FilterWord& w : c.words)
          if (!found_.contains(&w)) tell_unknown(c, w);
  }
  void tell_unknown(const OperatorFilter::OperatorColumn& c, const OperatorFilter::FilterWord& w) {
    const std::vector<std::string> known(present_[c.name].begin(), present_[c.name].end());
    const std::string hint = dsl::did_you_mean(w.text, known);
    error(w.span, fmt::format("no operator of case '{}' has the {} '{}'", case_.name, c.name, dsl::shortened(w.text)),
          hint.empty() ? "`trainplan ops` prints what there is" : hint);
  }

  const Case& case_;
  const std::vector<const AskedMeasure*>& asked_;
  dsl::Diagnostics& diagnostics_;
  CaseSeries walked_;
  std::set<const OperatorFilter::FilterWord*> found_;
  std::map<std::string, std::set<std::string>> present_;
};

// ---- the verdict

/// Values, or quotients with those of the base: with its only configuration, or with the same one where it has more.
std::optional<Series> values_of(const Expectation& e, const std::vector<CaseSeries>& cases, size_t at,
                                dsl::Diagnostics& diagnostics) {
  Series values = cases[at].series.at(&e.asked);
  if (!e.over) return values;
  const CaseSeries& base = cases[e.over->at];
  const Series& below = base.series.at(&e.over->asked);
  if (below.size() > 1 && base.points != cases[at].points) {
    diagnostics.error(e.span, "the case that this is over has other choices",
                      "it has one configuration, or the choices of this case");
    return std::nullopt;
  }
  if (below.size() > 1 && below.size() != values.size()) {
    diagnostics.error(e.span, "the case that this is over has other operators", "'each' takes them one by one");
    return std::nullopt;
  }
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] /= below[below.size() > 1 ? i : 0];
    if (!std::isfinite(values[i])) {
      diagnostics.error(e.span, "what this is over is zero", "a quotient needs a figure above zero below it");
      return std::nullopt;
    }
    if (e.change) values[i] -= 1;
  }
  return values;
}

/// Of all rows with the label that `e` names.
std::optional<Series> labelled(const Study& study, const Expectation& e, const std::vector<CaseSeries>& cases,
                               dsl::Diagnostics& diagnostics) {
  Series all;
  for (size_t i = 0; i < study.cases.size(); ++i)
    for (const Expectation& other : study.cases[i].expect) {
      if (!is_row_of_label(other) || !stands_for(e.asked.text, other.label)) continue;
      const auto values = values_of(other, cases, i, diagnostics);
      if (!values) return std::nullopt;
      all.insert(all.end(), values->begin(), values->end());
    }
  return all;
}

/// The values that are held against the paper's.
Series taken(const Series& values, Taking taking) {
  const auto [low, high] = std::ranges::minmax_element(values);
  const double count = static_cast<double>(values.size());
  double sum = 0, logarithms = 0;
  for (const double value : values) sum += value, logarithms += std::log(std::abs(value));
  switch (taking) {
    case Taking::every:
      break;
    case Taking::smallest:
      return {*low};
    case Taking::largest:
      return {*high};
    case Taking::geomean:
      return {std::exp(logarithms / count)};
    case Taking::mean:
      return {sum / count};
  }
  return {*low, *high};
}

double share_above(const Series& values, double bound) {
  const auto above = std::ranges::count_if(values, [&](double value) { return value > bound; });
  return static_cast<double>(above) / static_cast<double>(values.size());
}

/// Neighbours along a choice, all others being equal.
void count_pairs(const Expectation& e, const CaseSeries& w, size_t along, const Series& values, StudyRow& row) {
  std::map<std::string, std::vector<std::pair<double, double>>> lines;  // by the other choices
  for (size_t i = 0; i < values.size(); ++i) {
    std::string others;
    for (size_t c = 0; c < w.choices.size(); ++c)
      if (c != along) others += dsl::to_text(w.points[i][c]) + " ";
    lines[others].emplace_back(std::get<dsl::Number>(w.points[i][along].v).value, values[i]);
  }
  for (auto& [others, line] : lines) {
    std::ranges::sort(line);
    for (size_t i = 1; i < line.size(); ++i) {
      const double step = line[i].second - line[i - 1].second;
      ++row.pairs;
      row.against += *e.trend == FigureTrend::rises ? !(step > 0) : !(step < 0);
    }
  }
}

bool judge_trend(const Expectation& e, const CaseSeries& w, const Series& values, StudyRow& row,
                 dsl::Diagnostics& diagnostics) {
  const auto at = std::ranges::find(w.choices, e.along);
  if (at == w.choices.end()) {
    diagnostics.error(e.span, fmt::format("'{}' is no choice of this case", e.along),
                      dsl::did_you_mean(e.along, w.choices));
    return false;
  }
  const size_t along = static_cast<size_t>(at - w.choices.begin());
  if (!std::holds_alternative<dsl::Number>(w.points[0][along].v)) {
    diagnostics.error(e.span, fmt::format("a trend is along numbers, and '{}' is none", e.along));
    return false;
  }
  count_pairs(e, w, along, values, row);
  row.holds = row.against == 0;
  return true;
}

void judge_figure(const Expectation& e, StudyRow& row) {
  const Interval printed = e.printed(), accepted = e.accepted();
  const double below = std::min(row.low - printed.low, 0.0), above = std::max(row.high - printed.high, 0.0);
  row.difference = -below > above ? below : above;
  constexpr double kRounding = 1e-9;  // of doubles, relative
  row.holds = row.low >= accepted.low - kRounding * std::abs(accepted.low) &&
              row.high <= accepted.high + kRounding * std::abs(accepted.high);
}

bool judge(const Study& study, const Expectation& e, const std::vector<CaseSeries>& cases, size_t at, StudyRow& row,
           dsl::Diagnostics& diagnostics) {
  const auto values = e.asked.measure->of == MeasureOf::rows ? labelled(study, e, cases, diagnostics)
                                                             : values_of(e, cases, at, diagnostics);
  if (!values) return false;
  const Series held = e.above ? Series{share_above(*values, *e.above)} : taken(*values, e.taking);
  row.low = held.front();
  row.high = held.back();
  row.values = static_cast<int64_t>(values->size());
  if (e.trend) return judge_trend(e, cases[at], *values, row, diagnostics);
  judge_figure(e, row);
  return true;
}

std::vector<const AskedMeasure*> asked_of(const Study& study, size_t at) {
  std::vector<const AskedMeasure*> asked;
  for (size_t i = 0; i < study.cases.size(); ++i)
    for (const Expectation& e : study.cases[i].expect) {
      if (i == at && e.asked.measure->of != MeasureOf::rows) asked.push_back(&e.asked);
      if (e.over && e.over->at == at) asked.push_back(&e.over->asked);
    }
  return asked;
}

/// Messages that no earlier case reported: all cases share the file's mistakes.
void tell_new(const dsl::Diagnostics& found, dsl::Diagnostics& diagnostics) {
  for (const dsl::Diagnostic& d : found.list) {
    const std::string text = dsl::render(d);
    if (std::ranges::none_of(diagnostics.list, [&](const auto& told) { return dsl::render(told) == text; }))
      diagnostics.list.push_back(d);
  }
}

}  // namespace

bool is_row_of_label(const Expectation& e) {
  const Measure* measure = find_measure(e.what);
  return measure && measure->of != MeasureOf::rows && !e.trend;
}

bool Expectation::is_share() const { return change || above || (!over && asked.measure->unit == FigureUnit::fraction); }

Within usual_within(const Expectation& e) {
  const Within exact{.points = 0};
  if (e.paper.empty()) return exact;
  if (!e.is_share()) return {.relative = 0.1};
  if (e.paper.size() == 1 && e.paper.front() == 0) return {.points = 0.02};
  return {.points = 0.05, .relative = 0.3};
}

Interval Expectation::printed() const {
  if (!paper.empty()) return {paper.front(), paper.back()};
  return {least.value_or(-INFINITY), most.value_or(INFINITY)};
}

Interval Expectation::accepted() const {
  const bool written = within.points || within.relative || within.factor;
  const Within w = written ? within : usual_within(*this);
  const Interval p = printed();
  // How far beyond `figure` a value may lie; `beyond`: 1 above, -1 below it.
  const auto distance = [&](double figure, double beyond) {
    double d = w.points.value_or(INFINITY);
    if (w.relative) d = std::min(d, *w.relative * std::abs(figure));
    const double grows = beyond * figure > 0 ? w.factor.value_or(1) - 1 : 1 - 1 / w.factor.value_or(1);
    return w.factor ? std::min(d, grows * std::abs(figure)) : d;
  };
  const auto end = [&](double figure, double beyond) {
    return std::isfinite(figure) ? figure + beyond * distance(figure, beyond) : figure;
  };
  return {end(p.low, -1), end(p.high, 1)};
}

std::optional<std::vector<StudyRow>> run_cases(const Study& study, const dsl::Source& source,
                                               const std::vector<dsl::Override>& overrides, const dsl::Catalog& catalog,
                                               dsl::Sources& sources, dsl::Diagnostics& diagnostics) {
  std::vector<CaseSeries> cases;
  for (size_t i = 0; i < study.cases.size(); ++i) {
    std::vector<dsl::Override> sets;
    for (const dsl::Entry& e : study.cases[i].set) sets.push_back({e.key, e.key_span, &e.value});
    sets.insert(sets.end(), overrides.begin(), overrides.end());
    dsl::Diagnostics found;
    const std::vector<const AskedMeasure*> asked = asked_of(study, i);
    const auto open = read_open_scenario(source, sets, catalog, sources, found);
    cases.push_back(open ? CaseWalk(study.cases[i], asked, found).walk(*open) : CaseSeries{});
    tell_new(found, diagnostics);
  }
  if (diagnostics.has_errors()) return std::nullopt;
  std::vector<StudyRow> rows;
  for (size_t i = 0; i < study.cases.size(); ++i)
    for (const Expectation& e : study.cases[i].expect) {
      StudyRow& row = rows.emplace_back();
      row.source = study.source;
      row.case_name = study.cases[i].name;
      row.expected = &e;
      judge(study, e, cases, i, row, diagnostics);
    }
  if (diagnostics.has_errors()) return std::nullopt;
  return rows;
}

}  // namespace planner
