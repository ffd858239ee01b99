// The rows of a page, one line for each of their fields:
//
//     const RowFields<PeakRow> kPeaks = RowFields<PeakRow>()
//         .field("run", &PeakRow::run).shown("run")
//         .field("bytes", &PeakRow::bytes, Unit::memory).shown("peak", 2)
//         .field("kept", [](const PeakRow& r) { return r.bytes > 0; });
//
// From a line follow the member of JSON, the column of CSV, and the column of a page where it is `shown`.
#pragma once

#include <concepts>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "cli/report/report.h"

namespace cli {

template <class Row> struct RowField {
  const char* name;  // as in JSON and CSV, unit in the name
  Unit unit;
  std::function<Data(const Row&)> value;
  bool is_shown = false;
  std::string heading = {};  // of a page; empty: the name
  int rank = 0;              // as that of a Column
};

template <class Row> class RowFields {
 public:
  /// `of` is a member of the row, or what is called with it: text, a number, a flag, or Data itself.
  template <class Of> RowFields&& field(const char* name, Of of, Unit unit = Unit::text) && {
    all_.push_back({name, unit, [of](const Row& row) { return data(std::invoke(of, row)); }});
    return std::move(*this);
  }
  /// A page has the last field too.
  RowFields&& shown(std::string heading = {}, int rank = 0) && {
    all_.back().is_shown = true, all_.back().heading = std::move(heading), all_.back().rank = rank;
    return std::move(*this);
  }

  const std::vector<RowField<Row>>& all() const { return all_; }
  Data::Object object(const Row& row) const {
    Data::Object members;
    for (const RowField<Row>& f : all_) members.push_back({f.name, f.value(row)});
    return members;
  }
  template <class Rows> Data list(const Rows& rows) const {
    Data::List list;
    for (const Row& row : rows) list.push_back(object(row));
    return list;
  }
  /// All fields, as row formats print them.
  template <class Rows> Table table(const Rows& rows) const {
    return made({}, rows, [](const RowField<Row>&) { return true; });
  }
  /// The fields that a page shows.
  template <class Rows> Table page(std::string title, const Rows& rows) const {
    return made(std::move(title), rows, [](const RowField<Row>& f) { return f.is_shown; });
  }

 private:
  template <class T> static Data data(T&& value) {
    if constexpr (std::integral<std::decay_t<T>> && !std::same_as<std::decay_t<T>, bool>)
      return static_cast<int64_t>(value);
    else if constexpr (std::same_as<std::decay_t<T>, std::string_view>) return std::string(value);
    else return std::forward<T>(value);
  }
  template <class Rows, class If> Table made(std::string title, const Rows& rows, If wanted) const {
    Table table{.title = std::move(title)};
    for (const RowField<Row>& f : all_)
      if (wanted(f)) table.columns.push_back({.name = f.name, .unit = f.unit, .rank = f.rank, .heading = f.heading});
    for (const Row& row : rows) {
      table.rows.emplace_back();
      for (const RowField<Row>& f : all_)
        if (wanted(f)) table.rows.back().push_back(f.value(row));
    }
    return table;
  }
  std::vector<RowField<Row>> all_;
};

}  // namespace cli
