// The rows of a page, one line for each of their fields:
//
//     RowFields<PeakRow> peak_fields() {
//       return {{"run", &PeakRow::run},
//               {"bytes", &PeakRow::bytes, Unit::memory, "peak", FieldRank{2}},
//               {"kept", [](const PeakRow& r) { return r.bytes > 0; }, kOffPage}};
//     }
//
// From a line follow the member of JSON, the column of CSV, and the column of a page. What stands behind the function
// comes in any order, where it is not the usual: a unit (text), the heading of a page (the name), its rank (0: a narrow
// page never drops it), and `kOffPage` (a page does not have the field).
#pragma once

#include <algorithm>
#include <concepts>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/report/report.h"

namespace cli {

/// As that of a Column.
struct FieldRank {
  int rank = 0;
};
struct OffPage {};
inline constexpr OffPage kOffPage;
/// The column's name on a page, where it is another one there.
struct PageName {
  const char* name;
};

/// A list of texts or figures; objects of `fields.list`.
template <std::ranges::input_range Items> Data::List data_list(Items&& items) {
  Data::List list;
  for (auto&& item : items) list.emplace_back(item);
  return list;
}

/// Members of an object below the headings of `table`, a row of name and value for each.
inline Table member_table(Table table, const Data::Object& members) {
  for (const Member& m : members) table.rows.push_back({m.name, m.value});
  return table;
}

template <class Row> class RowField {
 public:
  /// `of`: a member of the row, or what is called with it: text, a number, a flag, or Data itself.
  template <class Of, class... Abouts> RowField(const char* name, Of of, Abouts... abouts)
      : column{.name = name}, value([of](const Row& row) { return data(std::invoke(of, row)); }) {
    (add(abouts), ...);
  }
  /// A count is whole.
  Data cell(const Row& row) const {
    Data found = value(row);
    const double* figure = column.unit == Unit::count ? std::get_if<double>(&found.v) : nullptr;
    return figure ? whole(*figure) : found;
  }

  Column column;
  std::function<Data(const Row&)> value;
  bool is_shown = true;
  const char* page_name = nullptr;

 private:
  template <class T> static Data data(T&& value) {
    using Plain = std::decay_t<T>;
    if constexpr (std::integral<Plain> && !std::same_as<Plain, bool>) return static_cast<int64_t>(value);
    else if constexpr (std::same_as<Plain, std::string_view>) return std::string(value);
    else if constexpr (std::same_as<Plain, std::optional<bool>> || std::same_as<Plain, std::optional<int64_t>>)
      return value ? Data(*value) : Data();
    else if constexpr (std::same_as<Plain, std::vector<std::string>>) return data_list(value);
    else return std::forward<T>(value);
  }
  void add(Unit unit) { column.unit = unit; }
  void add(std::string heading) { column.heading = std::move(heading); }
  void add(FieldRank rank) { column.rank = rank.rank; }
  void add(OffPage) { is_shown = false; }
  void add(PageName page) { page_name = page.name; }
};

template <class Row> class RowFields {
 public:
  RowFields() = default;
  RowFields(std::initializer_list<RowField<Row>> all) : all_(all) {}

  /// The same a field at a time; a page has those that are `shown`.
  template <class Of> RowFields&& field(const char* name, Of of, Unit unit = Unit::text) && {
    all_.push_back({name, of, unit, kOffPage});
    return std::move(*this);
  }
  RowFields&& shown(std::string heading = {}, int rank = 0) && {
    all_.back().is_shown = true, all_.back().column.heading = std::move(heading), all_.back().column.rank = rank;
    return std::move(*this);
  }
  void add(RowField<Row> field) { all_.push_back(std::move(field)); }

  const std::vector<RowField<Row>>& all() const { return all_; }
  /// REQUIRES: there is a field of that name.
  RowField<Row>& at(std::string_view name) {
    return *std::ranges::find_if(all_, [&](const RowField<Row>& f) { return f.column.name == name; });
  }
  Data::Object object(const Row& row) const {
    Data::Object members;
    for (const RowField<Row>& f : all_) members.push_back({f.column.name, f.cell(row)});
    return members;
  }
  template <class Rows> Data list(const Rows& rows) const {
    Data::List list;
    for (const Row& row : rows) list.push_back(object(row));
    return list;
  }
  /// All fields, as row formats print them.
  template <class Rows> Table table(const Rows& rows) const { return made({}, rows, all_); }
  /// The fields that a page shows.
  template <class Rows> Table page(std::string title, const Rows& rows) const {
    std::vector<RowField<Row>> shown;
    std::ranges::copy_if(all_, std::back_inserter(shown), &RowField<Row>::is_shown);
    for (RowField<Row>& f : shown)
      if (f.page_name) f.column.name = f.page_name;
    return made(std::move(title), rows, shown);
  }

 private:
  template <class Rows>
  static Table made(std::string title, const Rows& rows, const std::vector<RowField<Row>>& fields) {
    Table table{.title = std::move(title)};
    for (const RowField<Row>& f : fields) table.columns.push_back(f.column);
    for (const Row& row : rows) {
      table.rows.emplace_back();
      for (const RowField<Row>& f : fields) table.rows.back().push_back(f.cell(row));
    }
    return table;
  }
  std::vector<RowField<Row>> all_;
};

}  // namespace cli
