// A published figure as a scenario: cases that differ from it in a few fields, and the paper's values for each.
//
//     study:
//       source: Pati 2024, fig. 4.1
//       cases:
//         - name: Ph1-B4-FP32
//           set: {job.global_batch: 4}
//           expect:
//             - {label: LAMB, what: share, of: {class: optimizer}, paper: 0.25}
//
//     file -> Study -> walk of each case -> values of each measure -> StudyRow
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "planner/studies/published/measures.h"

namespace planner {

enum class FigureTrend { rises, falls };

/// Why a figure holds without a measurement: it counts separately from those that could have failed.
enum class RestsOn { construction, fit };  // no setting of the machine moves it off; a number was fitted to it

/// Which of several values, or which summary of them, is compared with the paper's.
enum class Taking { every, smallest, largest, geomean, mean };  // geomean: of distances from zero
inline constexpr auto& kTakingNames = dsl::kEnumWords<Taking>;

/// How far a value may lie from the paper's: the tightest of those that are written. Without any: `usual_within`.
struct Within {
  std::optional<double> points;    // in the measure's unit; of fractions 0.05 is five points
  std::optional<double> relative;  // of the paper's figure
  std::optional<double> factor;    // times the paper's figure, and divided by it
};

/// Either end may be infinite.
struct Interval {
  double low = 0, high = 0;
};

/// The divisor of a value.
struct Base {
  size_t at = 0;          // the case
  std::string case_name;  // its name
  AskedMeasure asked;
};

struct Expectation {
  std::string label, what;            // the paper's word for it; name of the measure
  std::vector<double> paper;          // a figure, or a range
  std::optional<double> least, most;  // instead: the paper's lower or upper bound
  Within within;
  std::optional<FigureTrend> trend;
  std::string along;  // of a trend: the choice that grows
  Taking taking = Taking::every;
  std::optional<double> above;  // instead: the share of the values above this
  bool each = false;            // each operator is a value
  bool change = false;          // x / base - 1 instead of x / base
  bool required = true;
  std::optional<RestsOn> rests_on;
  std::string
      why;  // not required: the places of the text that exclude it, quoted; `rests_on`: how; else why it is missed
  // Read in addition to the fields:
  AskedMeasure asked;
  std::optional<Base> over;
  dsl::Span span;

  /// Has no expectation: its values are only for `rows`.
  bool is_value() const { return paper.empty() && !least && !most && !trend; }
  /// A share or a change: papers print these in per cent.
  bool is_share() const;
  Interval printed() const;
  /// Returns the interval around `printed` that `within` accepts.
  Interval accepted() const;
};

/// Whether `rows` may take its values: it has its own, and they are not a trend.
bool is_row_of_label(const Expectation& e);

/// The one rule of every figure whose study writes none of its own (docs/accuracy.md): a share has 5 points and 30 % of
/// it, the tighter of both; 0, which is a text's "hidden" or "negligible", 2 points; any other figure 10 %. An end of a
/// range is a figure. A bound has nothing.
Within usual_within(const Expectation& e);

struct Case {
  std::string name;
  std::vector<Expectation> expect;
  // Read in addition to the fields:
  std::vector<dsl::Entry> set;  // paths and values
  dsl::Span span;
};

/// Other values of the scenario's assumptions: each study prints the resulting figures with each of them.
struct AssumedValues {
  std::string name;
  // Read in addition to the fields:
  std::vector<dsl::Entry> set;
  dsl::Span span;
};

struct Study {
  std::string source;
  std::vector<Case> cases;
  std::vector<AssumedValues> assumed;
};

template <class V> void fields(V& v, Within& w) {
  v("points", w.points, {.least = 0, .doc = "distance in the measure's unit; of fractions 0.05 is five points"});
  v("relative", w.relative, {.least = 0, .doc = "distance over the paper's figure"});
  v("factor", w.factor, {.least = 1, .doc = "times the paper's figure, and divided by it"});
}
template <class V> void fields(V& v, Expectation& e) {
  v("label", e.label, {.otherwise = "", .doc = "the paper's word for it"});
  v("what", e.what, {.required = true, .doc = "name of a measure"});
  v("paper", e.paper, {.doc = "the printed figure, or the two ends of a range"});
  v("least", e.least, {.doc = "what it is not below, where no figure is printed"});
  v("most", e.most, {.doc = "what it is not above, where no figure is printed"});
  v.section("within", e.within);
  v("trend", e.trend, {.doc = "instead of a figure: the measure rises or falls"});
  v("along", e.along, {.otherwise = "", .doc = "of a trend: the choice that grows"});
  v("taking", e.taking, {.otherwise = "every", .doc = "of several values: those that count, or their mean"});
  v("above", e.above, {.doc = "instead of taking: the share of the values that are above this"});
  v("each", e.each, {.otherwise = "false", .doc = "each operator that `of` takes is a value of its own"});
  v("change", e.change, {.otherwise = "false", .doc = "with over: the quotient less 1"});
  v("required", e.required, {.otherwise = "true", .doc = "false: the text excludes it itself, and it is shown only"});
  v("rests_on", e.rests_on, {.doc = "why it cannot fail: by construction, or a number was fitted to it"});
  v("why", e.why,
    {.otherwise = "",
     .doc = "with required: false what excludes it, quoted; with rests_on how; else why it is missed"});
}
template <class V> void fields(V& v, Case& c) {
  v("name", c.name, {.required = true, .doc = "as the paper calls it"});
  v.list("expect", c.expect);
}
template <class V> void fields(V& v, AssumedValues& a) {
  v("name", a.name, {.required = true, .doc = "what is assumed otherwise"});
}
template <class V> void fields(V& v, Study& s) {
  v("source", s.source, {.required = true, .doc = "where the figures are printed"});
  v.list("cases", s.cases);
  v.list("assumed", s.assumed);
}

/// Reads the section of a scenario; nullopt if it has a mistake, or is missing (diagnosed). REQUIRES: `source` and
/// `sources` outlive the study.
std::optional<Study> read_study(const dsl::Source& source, const dsl::Catalog& catalog, dsl::Sources& sources,
                                dsl::Diagnostics& diagnostics);

enum class Verdict { within, missed, excluded, shown, by_construction, fitted };
inline constexpr std::array kVerdictNames{"within", "missed", "excluded", "shown", "by construction", "fitted"};
inline std::span<const char* const> words(Verdict) { return kVerdictNames; }

/// A row compares a figure of the paper with the prediction. `low` and `high` differ if a case has choices.
struct StudyRow {
  std::string source, case_name;
  const Expectation* expected = nullptr;
  double low = 0, high = 0;
  int64_t values = 1;              // configurations behind them
  int64_t pairs = 0, against = 0;  // of a trend: neighbours, and those that go the other way
  double difference = 0;           // of a figure: prediction less the paper's; of a range: the distance outside
  bool holds = false;
  std::optional<Interval> assumed;     // ours, with each of the study's `assumed` in turn
  std::vector<std::string> turned_by;  // of these: with which the row holds where it did not, or the other way round

  Verdict verdict() const {
    if (expected->is_value()) return Verdict::shown;
    if (!expected->required) return Verdict::excluded;
    if (!holds) return Verdict::missed;
    if (!expected->rests_on) return Verdict::within;
    return expected->rests_on == RestsOn::fit ? Verdict::fitted : Verdict::by_construction;
  }
};

/// Plans every case and judges every expectation, in the order of the file; nullopt: a case cannot be read, has no
/// layout, or a measure no value (diagnosed). `overrides` are laid over each case.
std::optional<std::vector<StudyRow>> run_cases(const Study& study, const dsl::Source& source,
                                               const std::vector<dsl::Override>& overrides, const dsl::Catalog& catalog,
                                               dsl::Sources& sources, dsl::Diagnostics& diagnostics);
/// Likewise, each row with its values for each of `assumed`, over which `overrides` are laid.
std::optional<std::vector<StudyRow>> run_study(const Study& study, const dsl::Source& source,
                                               const std::vector<dsl::Override>& overrides, const dsl::Catalog& catalog,
                                               dsl::Sources& sources, dsl::Diagnostics& diagnostics);

}  // namespace planner
