// A result as an ordered tree, ready for every format: null, boolean, count, figure, text, list, object.
//
// Figures are in SI base units; a count is an integer, so that JSON prints it as one.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace cli {

struct Member;

struct Data {
  using List = std::vector<Data>;
  using Object = std::vector<Member>;

  std::variant<std::monostate, bool, int64_t, double, std::string, List, Object> v;

  Data();
  Data(bool b);
  Data(int n);
  Data(int64_t n);
  Data(double x);
  Data(std::string s);
  Data(const char* s);
  Data(List l);
  Data(Object o);
  Data(const std::optional<double>& x);

  bool is_null() const { return std::holds_alternative<std::monostate>(v); }
  const List* list() const { return std::get_if<List>(&v); }
  const Object* object() const { return std::get_if<Object>(&v); }
  const std::string* text() const { return std::get_if<std::string>(&v); }
  /// The number in a count or a figure; nullopt for anything else, and for NaN and infinities.
  std::optional<double> number() const;
  /// Object: the value of `name`, or null.
  const Data* find(std::string_view name) const;

  // Not in every file that copies or drops one: they are much code.
  Data(const Data&);
  Data(Data&&) noexcept;
  Data& operator=(const Data&);
  Data& operator=(Data&&) noexcept;
  ~Data();
};

struct Member {
  std::string name;
  Data value;
};

/// A plain value of a row. A text is not copied: a cell must not outlive its owner.
using Cell = std::variant<std::monostate, bool, int64_t, double, std::string_view>;

inline Cell cell_of(const std::optional<double>& figure) { return figure ? Cell(*figure) : Cell(); }
Data data_of(const Cell& cell);

/// An integer where `x` is whole and exact as one, else the figure itself.
inline Cell whole_cell(double x) {
  const bool exact = std::abs(x) < 9007199254740992.0 && x == std::floor(x);  // 2^53; false for NaN
  return exact ? Cell(static_cast<int64_t>(x)) : Cell(x);
}
Data whole(double x);
Data whole(const std::optional<double>& x);

}  // namespace cli
