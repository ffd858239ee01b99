#include "operator_models/calibrate/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "dsl/lower_case.h"

namespace operator_models {
namespace {

struct TimeUnit {
  const char* name;
  double seconds;
};
constexpr std::array kTimeUnits{TimeUnit{"s", 1}, TimeUnit{"ms", 1e-3}, TimeUnit{"us", 1e-6}, TimeUnit{"ns", 1e-9}};

const TimeUnit* unit_of_column(std::string_view column) {
  if (column == "seconds") return &kTimeUnits[0];
  for (const TimeUnit& unit : kTimeUnits)
    if (column == unit.name || column.ends_with(std::string("_") + unit.name)) return &unit;
  return nullptr;
}

/// "12.5 us" -> {12.5, "us"}: a cell that repeats its unit.
std::pair<std::string_view, std::string_view> number_and_unit(std::string_view text) {
  const size_t blank = text.find(' ');
  if (blank == std::string_view::npos) return {text, ""};
  return {text.substr(0, blank), text.substr(text.find_last_of(' ') + 1)};
}

/// What a tuner prints for a kernel that never finished.
bool is_no_time(std::string_view text) {
  constexpr std::array kWords{"inf", "Inf", "INF", "infinity"};
  return std::ranges::find(kWords, text) != kWords.end();
}

}  // namespace

bool TableColumns::has_all(const std::vector<std::string_view>& names) const {
  return std::all_of(names.begin(), names.end(), [&](std::string_view n) { return has(n); });
}

const dsl::CsvCell* TableColumns::cell(size_t row, std::string_view column) const {
  const auto at = table_.column(column);
  return at ? &table_.rows[row][*at] : nullptr;
}

const std::string& TableColumns::text(size_t row, std::string_view column) const {
  static const std::string none;
  const dsl::CsvCell* c = cell(row, column);
  return c ? c->text : none;
}

dsl::Span TableColumns::place(size_t row, std::string_view column) const {
  const dsl::CsvCell* c = cell(row, column);
  return c ? c->span : dsl::Span{};
}

std::optional<double> TableColumns::positive(size_t row, std::string_view column, double least) const {
  const std::string& written = text(row, column);
  const auto x = dsl::cell_number(written);
  if (x && *x >= least && *x <= kMostFigure) return x;
  if (!x) return wrong(row, column, fmt::format("expected a number in '{}', got '{}'", column, written));
  if (*x <= 0) return wrong(row, column, fmt::format("expected '{}' above zero, got {}", column, written));
  return wrong(row, column,
               fmt::format("expected '{}' from {:g} to {:g}, got {}", column, least, kMostFigure, written));
}

std::optional<double> TableColumns::amount(size_t row, std::string_view column) const {
  return dsl::cell_number(text(row, column)) == 0.0 ? std::optional(0.0) : positive(row, column);
}

std::optional<int64_t> TableColumns::count(size_t row, std::string_view column) const {
  const auto x = positive(row, column);
  if (!x) return std::nullopt;
  if (*x == std::floor(*x) && *x < 9e15) return static_cast<int64_t>(*x);
  return wrong(row, column, fmt::format("expected a whole number in '{}', got {}", column, *x));
}

std::optional<bool> TableColumns::flag(size_t row, std::string_view column) const {
  const std::string written = dsl::lower_case(text(row, column));
  if (written == "1" || written == "true") return true;
  if (written == "0" || written == "false") return false;
  return wrong(row, column, fmt::format("expected 0 or 1 in '{}', got '{}'", column, text(row, column)));
}

std::optional<Precision> precision_named(std::string_view text) {
  const auto named = std::ranges::find(hw_profiles::kPrecisionNames, text);
  if (named == hw_profiles::kPrecisionNames.end()) return std::nullopt;
  return static_cast<Precision>(named - hw_profiles::kPrecisionNames.begin());
}

std::optional<Precision> TableColumns::precision(size_t row, Precision otherwise) const {
  if (!has("precision")) return otherwise;
  const std::string& written = text(row, "precision");
  const auto named = precision_named(written);
  if (!named)
    diagnostics_.error(place(row, "precision"), fmt::format("unknown precision '{}'", written),
                       fmt::format("expected one of {}", fmt::join(hw_profiles::kPrecisionNames, ", ")));
  return named;
}

std::optional<double> TableColumns::seconds(size_t row, std::string_view column) const {
  const TimeUnit* unit = unit_of_column(column);
  const auto [digits, written] = number_and_unit(text(row, column));
  if (is_no_time(digits)) {
    diagnostics_.warning(place(row, column),
                         fmt::format("'{}' in '{}' is no time: the row is left out", digits, column));
    return std::nullopt;
  }
  if (!written.empty() && dsl::cell_number(digits)) {
    if (unit && written == unit->name) {
      const double x = *dsl::cell_number(digits);
      if (x >= kLeastFigure && x <= kMostFigure) return x * unit->seconds;
    }
    diagnostics_.error(place(row, column),
                       fmt::format("the cell says '{}', its column '{}'", text(row, column), column),
                       "one unit for the whole column, in its name");
    return std::nullopt;
  }
  const auto x = positive(row, column);
  return x && unit ? std::optional<double>(*x * unit->seconds) : std::nullopt;
}

std::optional<std::string> TableColumns::time_column(std::initializer_list<std::string_view> stems) const {
  for (std::string_view stem : stems) {
    if (unit_of_column(stem) && has(stem)) return std::string(stem);
    for (const TimeUnit& unit : kTimeUnits)
      if (const std::string name = fmt::format("{}_{}", stem, unit.name); has(name)) return name;
  }
  return std::nullopt;
}

void TableColumns::unknown_layout(const std::string& layouts) const {
  const dsl::Span place = table_.header.empty() ? dsl::Span{} : table_.header[0].span;
  diagnostics_.error(place, fmt::format("no known layout has the columns {}", fmt::join(table_.names(), ", ")),
                     "expected " + layouts);
}

}  // namespace operator_models
