// Flags as rows: parser, help, usage and what a shell completes all come from the rows of a command.
//
//     struct SweepFlags { CommonFlags common; std::string limit; };
//     flag<&SweepFlags::limit>({"--limit", "N", "an error where the choices have more combinations", Takes::text})
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace cli {

/// What stands behind a flag.
enum class Takes {
  nothing,  // it is a switch
  text,
  output,          // the name of a file that the command writes
  word,            // one of those that the placeholder lists: "first|best"
  words,           // several of them, joined by commas
  list,            // texts joined by commas
  repeated,        // one text each time that the flag is given: `--set a=[4,8]` keeps its comma
  whole,           // a whole number
  positive_whole,  // one above zero
  number,          // the command says which: infinities are some
  positive,        // a finite number above zero
  numbers,         // finite, joined by commas
};

/// A flag as people read it. Given twice, a single value is the last one.
struct Flag {
  const char* name;         // "--top"
  const char* placeholder;  // "N"; "" of a switch
  const char* help;
  Takes takes;
  int64_t most = std::numeric_limits<int64_t>::max();  // of a whole number
  bool common = false;                                 // every command has it
};

/// What was given for a flag; monostate: nothing.
using FlagValue =
    std::variant<std::monostate, bool, std::string, int64_t, double, std::vector<std::string>, std::vector<double>>;

/// A flag and where its value goes in the struct of a command.
template <class Flags> struct FlagRow {
  Flag flag;
  void (*write)(Flags&, const FlagValue&);
};

namespace detail {

template <class Member> struct MemberOf;
template <class Struct, class Type> struct MemberOf<Type Struct::*> { using Owner = Struct; };

template <class T> struct Stored { using Type = T; };
template <class T> struct Stored<std::optional<T>> { using Type = T; };

/// `object.*member.*below...`
template <class Struct, class... Members> constexpr auto& reach(Struct& object, Members... path) {
  return (object.*....*path);
}

/// Whether what follows the flag is of type T.
template <class T> consteval bool is_of(Takes takes) {
  switch (takes) {
    case Takes::nothing:
      return std::is_same_v<T, bool>;
    case Takes::text:
    case Takes::output:
    case Takes::word:
      return std::is_same_v<T, std::string>;
    case Takes::words:
    case Takes::list:
    case Takes::repeated:
      return std::is_same_v<T, std::vector<std::string>>;
    case Takes::whole:
    case Takes::positive_whole:
      return std::is_same_v<T, int64_t>;
    case Takes::number:
    case Takes::positive:
      return std::is_same_v<T, double>;
    case Takes::numbers:
      return std::is_same_v<T, std::vector<double>>;
  }
  return false;
}

}  // namespace detail

/// The row of a flag whose value goes to `object.*member`, or to `object.*member.*below` and so on. A member of another
/// type than what the flag takes does not compile.
template <auto member, auto... below> consteval auto flag(const Flag& words) {
  using Flags = typename detail::MemberOf<decltype(member)>::Owner;
  using Leaf = std::remove_cvref_t<decltype(detail::reach(std::declval<Flags&>(), member, below...))>;
  using Value = typename detail::Stored<Leaf>::Type;
  if (!detail::is_of<Value>(words.takes)) throw "the member is of another type than what the flag takes";
  return FlagRow<Flags>{words, [](Flags& flags, const FlagValue& value) {
                          detail::reach(flags, member, below...) = std::get<Value>(value);
                        }};
}

/// Rows that every command has.
template <class Flags, size_t count>
consteval std::array<FlagRow<Flags>, count> common_rows(std::array<FlagRow<Flags>, count> rows) {
  for (FlagRow<Flags>& row : rows) row.flag.common = true;
  return rows;
}

/// The rows of a command in the order of its help: the flags alone for parser and help, and beside each how it is
/// written.
template <class Flags, size_t count> struct FlagTable {
  std::array<Flag, count> flags;
  std::array<void (*)(Flags&, const FlagValue&), count> write;
};

template <class Flags, size_t... counts>
consteval auto flag_table(const std::array<FlagRow<Flags>, counts>&... groups) {
  FlagTable<Flags, (counts + ...)> table{};
  size_t i = 0;
  const auto add = [&](const auto& rows) {
    for (const FlagRow<Flags>& row : rows) {
      table.flags[i] = row.flag;
      table.write[i++] = row.write;
    }
  };
  (add(groups), ...);
  return table;
}

}  // namespace cli
