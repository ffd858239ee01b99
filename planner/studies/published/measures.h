// Measures of a configuration for studies, one row each.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "planner/plan/comm.h"
#include "planner/plan/figure_field.h"
#include "planner/plan/ops.h"
#include "planner/plan/plan.h"
#include "planner/plan/results.h"

namespace planner {

struct Measure;

/// A filter takes operators by their columns: a row counts if each column named has one of its values; "fc*" is what
/// begins so.
struct OperatorFilter {
  struct FilterWord {
    std::string text;
    dsl::Span span;
  };
  struct OperatorColumn {
    std::string name;
    std::string OperatorRow::*field = nullptr;
    std::vector<FilterWord> words;
  };
  std::vector<OperatorColumn> columns;  // empty: every operator
  const OperatorRow* only = nullptr;    // this one alone, if it matches
};
/// The columns that a filter may name.
struct FilterColumn {
  const char* name;
  std::string OperatorRow::*field;
};
std::span<const FilterColumn> filter_columns();
bool matches(const OperatorFilter::OperatorColumn& column, std::string_view word, const OperatorRow& row);
bool matches(const OperatorFilter& filter, const OperatorRow& row);

/// Whether a word of a filter matches a text: the text itself, or its beginning and '*'.
bool stands_for(std::string_view word, std::string_view text);

/// Which measure is requested, and of what.
struct AskedMeasure {
  const Measure* measure = nullptr;
  OperatorFilter filter;       // of operators
  bool each = false;           // of operators: each that the filter takes is a value
  dsl::Expression expression;  // of `value`
  std::string text;            // as it is written, in one line
  dsl::Span span;
};

/// A subject is one configuration; inputs of a measure are computed on first use. REQUIRES: a layout without
/// violations; the scenario outlives it.
class MeasureSubject {
 public:
  explicit MeasureSubject(const Scenario& scenario) : scenario_(scenario) {}
  const std::vector<OperatorRow>& operators();
  const Plan& plan();
  const CommFractions& comm();
  const Algorithm& algorithm();
  const Scenario& scenario() const { return scenario_; }

 private:
  const Scenario& scenario_;
  std::optional<std::vector<OperatorRow>> operators_;
  std::optional<Plan> plan_;
  std::optional<CommFractions> comm_;
  std::optional<Algorithm> algorithm_;
};

/// The content of `of`: nothing, a filter of operators, an expression over fields and results, or the label of other
/// rows of the study.
enum class MeasureOf { nothing, operators, expression, rows };

struct Measure {
  const char* name;
  MeasureOf of;
  FigureUnit unit;
  std::optional<double> (*value)(MeasureSubject&, const AskedMeasure&);  // SI units; null: the runner knows it
  const char* doc;
};
std::span<const Measure> measures();
const Measure* find_measure(std::string_view name);

}  // namespace planner
