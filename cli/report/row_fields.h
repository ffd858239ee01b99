// The rows of a page, one line for each of their fields:
//
//     const RowFields<PeakRow> peaks{
//         {"run", &PeakRow::run, Unit::text, "run"},
//         {"bytes", &PeakRow::bytes, Unit::memory, "peak", 2},
//         {"kept", [](auto& r) { return r.bytes > 0; }},
//     };
//
// From a line follow the member of JSON, the column of CSV, and the column of a page where it has a heading.
#pragma once

#include <algorithm>
#include <concepts>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "cli/report/report.h"
#include "dsl/source.h"

namespace cli {

/// A field as Data: null for "none", a list for a range.
template <class T> Data field_data(T&& value) {
  using Plain = std::remove_cvref_t<T>;
  if constexpr (std::integral<Plain> && !std::same_as<Plain, bool>) return static_cast<int64_t>(value);
  else if constexpr (std::same_as<Plain, std::string_view>) return std::string(value);
  else if constexpr (requires { value.has_value(); }) return value ? field_data(*value) : Data();
  else if constexpr (std::constructible_from<Data, T>) return std::forward<T>(value);
  else return Data::List(value.begin(), value.end());
}

/// One object's members, then the other's.
inline Data::Object joined(Data::Object front, Data::Object back) {
  for (Member& member : back) front.push_back(std::move(member));
  return front;
}

/// Values by their names, an object.
template <class Pairs> Data::Object members_of(const Pairs& pairs) {
  Data::Object members;
  for (const auto& [name, value] : pairs) members.push_back({name, value});
  return members;
}

/// A value of each item.
template <class Items, class Of> Data list_of(const Items& items, Of of) {
  Data::List list;
  for (const auto& item : items) list.push_back(field_data(std::invoke(of, item)));
  return list;
}

inline Data text_or_null(std::string text) { return text.empty() ? Data() : Data(std::move(text)); }

/// Of a field that is a text: null where it is empty.
template <class Of> auto or_null(Of of) {
  return [of](const auto& row) { return text_or_null(std::string(std::invoke(of, row))); };
}

/// Of what a row may lack, an optional: null where it does.
template <class Optional, class Of> auto if_any(Optional optional, Of of) {
  return [optional, of](const auto& row) {
    const auto& found = std::invoke(optional, row);
    return found ? field_data(std::invoke(of, *found)) : Data();
  };
}

/// Of a field that counts: an integer where it is whole.
template <class Of> auto whole_of(Of of) {
  return [of](const auto& row) { return whole(std::invoke(of, row)); };
}

/// 0 to n - 1: rows of fields that take a place in lists.
inline std::vector<size_t> places(size_t n) {
  std::vector<size_t> all(n);
  std::iota(all.begin(), all.end(), size_t{0});
  return all;
}

/// Below the headings of `table` a row for each member: its name, its value.
inline Table member_table(Table table, const Data::Object& members) {
  for (const Member& m : members) table.rows.push_back({m.name, m.value});
  return table;
}

template <class Row> struct RowField {
  /// `of` is a member of the row, or a function of it: text, a number, a flag, an optional or a list of these, or Data
  /// itself. A page has the fields with a heading; "": the name. `page_name`: of the column there; null: the name.
  template <class Of>
  RowField(const char* name, Of of, Unit unit = Unit::text, const std::optional<std::string>& heading = std::nullopt,
           int rank = 0, const char* page_name = nullptr)
      : name(name),
        unit(unit),
        value([of](const Row& row) { return field_data(std::invoke(of, row)); }),
        is_shown(heading.has_value()),
        heading(heading.value_or("")),
        rank(rank),
        page_name(page_name ? page_name : name) {}

  /// A page shows what `of` gives, in `shown_unit`; JSON and CSV have the value.
  template <class Of> RowField shown_as(Of of, Unit shown_unit = Unit::text) const {
    RowField field = *this;
    field.shown = [of](const Row& row) { return field_data(std::invoke(of, row)); };
    field.shown_unit = shown_unit;
    return field;
  }

  const char* name;  // as in JSON and CSV, unit in the name
  Unit unit;
  std::function<Data(const Row&)> value;
  std::function<Data(const Row&)> shown = {};  // on a page; empty: the value
  Unit shown_unit = Unit::text;                // of `shown`
  bool is_shown;
  std::string heading;  // of a page; empty: the name
  int rank;             // as that of a Column
  const char* page_name;
};

/// The file, the line and the column of a row's place; null where it has none.
template <class Row> std::vector<RowField<Row>> place_fields(dsl::Span Row::*place) {
  const auto known = [](int n) { return n > 0 ? Data(n) : Data(); };
  return {{"file", [=](const Row& r) { return (r.*place).source ? Data((r.*place).source->name) : Data(); }},
          {"line", [=](const Row& r) { return known((r.*place).line); }},
          {"column", [=](const Row& r) { return known((r.*place).column); }}};
}

template <class Row> class RowFields {
 public:
  RowFields() = default;
  RowFields(std::initializer_list<RowField<Row>> fields) : all_(fields) {}
  RowFields(std::vector<RowField<Row>> fields) : all_(std::move(fields)) {}

  void add(RowField<Row> field) { all_.push_back(std::move(field)); }
  void add_all(const std::vector<RowField<Row>>& fields) { all_.insert(all_.end(), fields.begin(), fields.end()); }
  const std::vector<RowField<Row>>& all() const { return all_; }
  bool has(std::string_view name) const { return std::ranges::find(all_, name, named) != all_.end(); }
  /// REQUIRES: there is a field of that name.
  RowField<Row>& at(std::string_view name) { return *std::ranges::find(all_, name, named); }
  Data::Object object(const Row& row) const {
    Data::Object members;
    members.reserve(all_.size());
    for (const RowField<Row>& f : all_) members.push_back({f.name, f.value(row)});
    return members;
  }
  template <class Rows> Data list(const Rows& rows) const {
    return list_of(rows, [this](const Row& row) { return object(row); });
  }
  /// All fields, as row formats print them.
  template <class Rows> Table table(const Rows& rows, std::string title = {}) const {
    return made(std::move(title), rows, all_);
  }
  /// The fields that a page shows.
  template <class Rows> Table page(std::string title, const Rows& rows) const {
    std::vector<RowField<Row>> shown;
    std::ranges::copy_if(all_, std::back_inserter(shown), &RowField<Row>::is_shown);
    for (RowField<Row>& f : shown) {
      f.name = f.page_name;
      if (f.shown) f.value = f.shown, f.unit = f.shown_unit;
    }
    return made(std::move(title), rows, shown);
  }

  std::vector<Data> cells(const Row& row) const { return cells_of(row, all_); }

 private:
  static std::vector<Data> cells_of(const Row& row, const std::vector<RowField<Row>>& fields) {
    std::vector<Data> cells;
    cells.reserve(fields.size());
    for (const RowField<Row>& f : fields) cells.push_back(f.value(row));
    return cells;
  }
  static std::string_view named(const RowField<Row>& field) { return field.name; }
  template <class Rows>
  static Table made(std::string title, const Rows& rows, const std::vector<RowField<Row>>& fields) {
    Table table{.title = std::move(title)};
    for (const RowField<Row>& f : fields)
      table.columns.push_back({.name = f.name, .unit = f.unit, .rank = f.rank, .heading = f.heading});
    for (const Row& row : rows) table.rows.push_back(cells_of(row, fields));
    return table;
  }
  std::vector<RowField<Row>> all_;
};

}  // namespace cli
