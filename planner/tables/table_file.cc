#include "planner/tables/table_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "dsl/csv.h"
#include "dsl/similar.h"

namespace planner::tables {
namespace {

constexpr double kRounding = 1e-3;  // of a sum of 17 written shares
constexpr double kBatchSlack = 0.1;

std::string factor_name(size_t bin) { return fmt::format("rf{}", bin); }

std::vector<std::string> known_columns() {
  std::vector<std::string> names{"name", "rows", "dim", "pooling"};
  for (size_t bin = 0; bin < kReuseBins; ++bin) names.push_back(factor_name(bin));
  return names;
}

/// The columns of a file; absent ones are not there.
struct TableColumns {
  std::optional<size_t> name, rows, dim, pooling;
  std::array<std::optional<size_t>, kReuseBins> factors;
};

/// nullopt: some are missing (diagnosed).
std::optional<TableColumns> columns_of(const dsl::CsvTable& table, dsl::Diagnostics& diagnostics) {
  const std::vector<std::string> known = known_columns();
  bool wrong = false;
  for (const dsl::CsvCell& cell : table.header)
    if (std::ranges::find(known, cell.text) == known.end()) {
      diagnostics.error(cell.span, fmt::format("unknown column '{}'", cell.text), dsl::did_you_mean(cell.text, known));
      wrong = true;
    }
  TableColumns c{table.column("name"), table.column("rows"), table.column("dim"), table.column("pooling"), {}};
  size_t factors = 0;
  for (size_t bin = 0; bin < kReuseBins; ++bin) {
    c.factors[bin] = table.column(factor_name(bin));
    factors += c.factors[bin].has_value();
  }
  const auto missing = [&](const std::string& what) {
    diagnostics.error(table.header.front().span, "no column " + what,
                      "a table of embedding tables has rows,dim,pooling and perhaps rf0 ... rf16");
    wrong = true;
  };
  for (const char* needed : {"rows", "dim", "pooling"})
    if (!table.column(needed)) missing(fmt::format("'{}'", needed));
  if (factors > 0 && factors < kReuseBins)
    missing(fmt::format("for each of the reuse factors rf0 to rf16: {} of 17", factors));
  return wrong ? std::nullopt : std::optional(c);
}

/// A number of a cell between two; else diagnosed, and nothing.
std::optional<double> number(const dsl::CsvCell& cell, const char* what, double least, double most, bool whole,
                             dsl::Diagnostics& diagnostics) {
  const std::optional<double> x = dsl::cell_number(cell.text);
  if (x && *x >= least && *x <= most && (!whole || *x == std::floor(*x))) return x;
  diagnostics.error(cell.span, fmt::format("expected {}{} from {:g} to {:g}, got '{}'", what,
                                           whole ? ", a whole number" : "", least, most, cell.text));
  return std::nullopt;
}

/// The reuse factors of a row; nullopt if all cells are empty.
std::optional<ReuseFactors> factors_of(const std::vector<dsl::CsvCell>& row, const TableColumns& c,
                                       dsl::Diagnostics& diagnostics) {
  if (!c.factors[0]) return std::nullopt;
  const auto empty = [&](const std::optional<size_t>& at) { return row[*at].text.empty(); };
  if (std::ranges::all_of(c.factors, empty)) return std::nullopt;
  ReuseFactors factors{};
  double sum = 0;
  for (size_t bin = 0; bin < kReuseBins; ++bin) {
    const auto x = number(row[*c.factors[bin]], "a reuse factor", 0, 1, false, diagnostics);
    if (!x) return std::nullopt;
    sum += factors[bin] = *x;
  }
  if (std::abs(sum - 1) > kRounding) {
    diagnostics.error(row[*c.factors[0]].span,
                      fmt::format("the reuse factors of a table sum to 1, these to {:.6g}", sum),
                      "rf0 is the share of the rows that the batch does not use");
    return std::nullopt;
  }
  for (double& factor : factors) factor /= sum;
  return factors;
}

Table table_of(const std::vector<dsl::CsvCell>& row, size_t number_of_row, const TableColumns& c,
               dsl::Diagnostics& diagnostics) {
  const auto rows = number(row[*c.rows], "rows", 1, static_cast<double>(kMostRows), true, diagnostics);
  const auto dim = number(row[*c.dim], "dim", 1, static_cast<double>(kMostDim), true, diagnostics);
  const auto pooling = number(row[*c.pooling], "pooling", 0, kMostPooling, false, diagnostics);
  Table t;
  t.name = c.name && !row[*c.name].text.empty() ? row[*c.name].text : std::to_string(number_of_row);
  t.rows = static_cast<int64_t>(rows.value_or(1));
  t.dim = static_cast<int64_t>(dim.value_or(1));
  t.pooling = pooling.value_or(0);
  t.reuse = factors_of(row, c, diagnostics);
  t.place = row[*c.rows].span;
  return t;
}

}  // namespace

std::optional<std::vector<Table>> read_tables(const dsl::Source& source, dsl::Diagnostics& diagnostics) {
  const dsl::CsvTable file = dsl::read_csv(source, diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;
  const std::optional<TableColumns> columns = columns_of(file, diagnostics);
  if (!columns) return std::nullopt;
  if (file.rows.empty()) diagnostics.error(file.header.front().span, "no tables: a line of numbers for each");
  if (static_cast<int64_t>(file.rows.size()) > kMostTables)
    diagnostics.error(file.rows.back().front().span, fmt::format("more than {} tables", kMostTables));
  if (diagnostics.has_errors()) return std::nullopt;
  std::vector<Table> tables;
  for (const std::vector<dsl::CsvCell>& row : file.rows)
    tables.push_back(table_of(row, tables.size(), *columns, diagnostics));
  return diagnostics.has_errors() ? std::nullopt : std::optional(tables);
}

void check_reuse(const std::vector<Table>& tables, double batch, dsl::Diagnostics& diagnostics) {
  for (const Table& t : tables) {
    if (!t.reuse) continue;
    const ReuseRange held = lookups_held(*t.reuse, static_cast<double>(t.rows));
    const double lookups = batch * t.pooling;
    if (lookups >= (1 - kBatchSlack) * held.least && lookups <= (1 + kBatchSlack) * held.most) continue;
    diagnostics.error(
        t.place,
        fmt::format("the reuse factors of {} rows mean {:.4g} to {:.4g} lookups, and a batch of {:g} samples "
                    "that look up {:g} rows has {:.4g}",
                    t.rows, held.least, held.most, batch, t.pooling, lookups),
        "reuse factors are those of one batch of the size that is trained");
  }
}

}  // namespace planner::tables
