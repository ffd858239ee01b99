// Columns of a table of measurements by name, with units in the name.
//
// A column of times has a name that ends in _s, _ms, _us or _ns, or is `seconds`. A cell may repeat the unit ("12 us");
// a unit that contradicts the header is an error at its place.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/csv.h"
#include "operator_models/operators.h"

namespace operator_models {

/// "bf16"; nullopt: the catalogue does not know the precision.
std::optional<Precision> precision_named(std::string_view text);

class TableColumns {
 public:
  /// Bound every figure, so that products of some are finite.
  static constexpr double kLeastFigure = 1e-30, kMostFigure = 1e30;

  TableColumns(const dsl::CsvTable& table, dsl::Diagnostics& diagnostics) : table_(table), diagnostics_(diagnostics) {}

  bool has(std::string_view name) const { return table_.column(name).has_value(); }
  bool has_all(const std::vector<std::string_view>& names) const;

  /// A count of at least one; an empty or wrong cell is diagnosed and gives none.
  std::optional<int64_t> count(size_t row, std::string_view column) const;
  /// A number above zero, from `least` to `kMostFigure`; diagnosed likewise.
  std::optional<double> positive(size_t row, std::string_view column, double least = kLeastFigure) const;
  /// A number of zero and more; diagnosed likewise.
  std::optional<double> amount(size_t row, std::string_view column) const;
  /// 0 or 1, false or true.
  std::optional<bool> flag(size_t row, std::string_view column) const;
  /// The precision named in the column `precision`; `otherwise` if the cell or the column is missing.
  std::optional<Precision> precision(size_t row, Precision otherwise) const;
  /// Seconds in a column named with its unit; nullopt if a cell says `inf`, with a warning.
  std::optional<double> seconds(size_t row, std::string_view column) const;
  /// Returns "" if there is no such column.
  const std::string& text(size_t row, std::string_view column) const;
  /// An error at that cell, and nothing read.
  std::nullopt_t wrong(size_t row, std::string_view column, const std::string& message) const {
    diagnostics_.error(place(row, column), message);
    return std::nullopt;
  }
  dsl::Span place(size_t row, std::string_view column) const;

  /// The first of `stems` with a unit that the table has: time_column({"latency", "time"}) -> "latency_us".
  std::optional<std::string> time_column(std::initializer_list<std::string_view> stems) const;
  /// "expected one of the layouts ..., got the columns ...", at the header.
  void unknown_layout(const std::string& layouts) const;

 private:
  const dsl::CsvCell* cell(size_t row, std::string_view column) const;
  const dsl::CsvTable& table_;
  dsl::Diagnostics& diagnostics_;
};

/// The cells of one row, read one after the other; `whole` returns at the end whether all of them were valid. A wrong
/// cell is diagnosed, and reads as zero.
class RowCells {
 public:
  RowCells(const TableColumns& columns, size_t row) : columns_(columns), row_(row) {}

  bool has(std::string_view column) const { return columns_.has(column); }
  const std::string& text(std::string_view column) const { return columns_.text(row_, column); }
  int64_t count(std::string_view column) { return kept(columns_.count(row_, column)); }
  double positive(std::string_view column) { return kept(columns_.positive(row_, column)); }
  double amount(std::string_view column) { return kept(columns_.amount(row_, column)); }
  double seconds(std::string_view column) { return kept(columns_.seconds(row_, column)); }
  bool flag(std::string_view column) { return kept(columns_.flag(row_, column)); }
  Precision precision(Precision otherwise) { return kept(columns_.precision(row_, otherwise)); }

  void wrong(std::string_view column, const std::string& message) {
    columns_.wrong(row_, column, message);
    whole_ = false;
  }
  bool whole() const { return whole_; }

 private:
  template <class T> T kept(std::optional<T> cell) {
    whole_ = whole_ && cell;
    return cell.value_or(T{});
  }
  const TableColumns& columns_;
  size_t row_;
  bool whole_ = true;
};

}  // namespace operator_models
