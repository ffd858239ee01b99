// A plain table of measurements. Columns `callpath` (or `region`), `metric` and `repetition` have these meanings. A
// column `value` holds the values, and all others are parameters. Without `value`, the columns behind `repetition` are
// metrics; if that is missing too, the last column is:
//
//     p,n,metric,value            ranks,repetition,walltime_s
//     4,100,time,3.1              2,1,152
#include "dsl/csv.h"

#include <fmt/format.h>

#include <set>
#include <tuple>

#include "planner/scaling/read/formats.h"

namespace planner::scaling {
namespace {

class TableReader {
 public:
  TableReader(const dsl::CsvTable& table, ReadContext& context)
      : table_(table), builder_(context.builder), diagnostics_(context.diagnostics) {}

  void read() {
    if (!split_columns()) return;
    std::vector<PlacedName> names;
    for (const size_t column : parameters_) names.push_back({table_.header[column].text, table_.header[column].span});
    if (!builder_.parameters(names)) return;
    if (table_.rows.empty()) diagnostics_.error(table_.header[0].span, "no rows below the header");
    for (const auto& row : table_.rows) read_row(row);
  }

 private:
  bool split_columns() {
    callpath_ = table_.column("callpath") ? table_.column("callpath") : table_.column("region");
    metric_ = table_.column("metric");
    repetition_ = table_.column("repetition");
    const auto value = table_.column("value");
    const size_t columns = table_.header.size(), first = repetition_ ? *repetition_ + 1 : columns - 1;
    for (size_t i = 0; i < columns; ++i) {
      if (i == callpath_ || i == metric_ || i == repetition_) continue;
      (value ? i == *value : i >= first) ? values_.push_back(i) : parameters_.push_back(i);
    }
    const dsl::Span last = table_.header.back().span;
    if (values_.empty())
      diagnostics_.error(last, "no column of values", "call it 'value', or by its metric as the last column");
    else if (parameters_.empty())
      diagnostics_.error(table_.header[0].span, "no column of a parameter", "parameters stand before the values");
    return !values_.empty() && !parameters_.empty();
  }

  using Row = std::vector<dsl::CsvCell>;

  std::optional<double> number(const dsl::CsvCell& cell) {
    const auto value = dsl::cell_number(cell.text);
    if (!value) diagnostics_.error(cell.span, fmt::format("expected a number, got '{}'", cell.text));
    return value;
  }

  void read_row(const Row& row) {
    std::vector<double> coordinates;
    for (const size_t column : parameters_) {
      const auto value = number(row[column]);
      if (!value) return;
      coordinates.push_back(*value);
    }
    const auto point = builder_.point(coordinates, row[parameters_[0]].span);
    if (!point) return;
    for (const size_t column : values_) {
      const bool named = table_.header[column].text != "value";
      const std::string metric = metric_ ? row[*metric_].text : named ? table_.header[column].text : "";
      const size_t series = builder_.series(callpath_ ? row[*callpath_].text : "", metric, row[column].span);
      const auto value = number(row[column]);
      if (value && is_first(row, series, *point)) builder_.measure(series, *point, *value, row[column].span);
    }
  }

  // False (diagnosed) for a repetition that was there before.
  bool is_first(const Row& row, size_t series, size_t point) {
    if (!repetition_) return true;
    const dsl::CsvCell& cell = row[*repetition_];
    if (seen_.insert({series, point, cell.text}).second) return true;
    diagnostics_.error(cell.span, fmt::format("a second repetition '{}' of this point", cell.text));
    return false;
  }

  const dsl::CsvTable& table_;
  ExperimentBuilder& builder_;
  dsl::Diagnostics& diagnostics_;
  std::optional<size_t> callpath_, metric_, repetition_;
  std::vector<size_t> parameters_, values_;
  std::set<std::tuple<size_t, size_t, std::string>> seen_;
};

}  // namespace

void read_csv_table(const dsl::Source& source, ReadContext& context) {
  const size_t before = context.diagnostics.list.size();
  const dsl::CsvTable table = dsl::read_csv(source, context.diagnostics);
  if (context.diagnostics.list.size() == before) TableReader(table, context).read();
}

}  // namespace planner::scaling
