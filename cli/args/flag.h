// Flags as rows: parser, help, usage and shell completions all come from the rows of a command.
//
//     struct SweepFlags { CommonFlags common; std::string limit; };
//     flag<&SweepFlags::limit>({"--limit", "N", "an error where the choices have more combinations"})
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

/// The kind of value behind a flag.
enum class Takes {
  as_member,  // the usual kind for a member of its type (kUsual)
  nothing,    // it is a switch
  text,
  output,          // the name of a file that the command writes
  word,            // one of those that the placeholder lists: "first|best"
  words,           // several of them, joined by commas
  list,            // texts joined by commas
  repeated,        // one text each time that the flag is given: `--set a=[4,8]` keeps its comma
  whole,           // a whole number
  positive_whole,  // one above zero
  number,          // the command checks the range: some accept infinities
  positive,        // a finite number above zero
  numbers,         // finite, joined by commas
};

/// A flag as people read it. Given twice, a single value is the last one.
struct Flag {
  const char* name;         // "--top"
  const char* placeholder;  // "N"; "" of a switch
  const char* help;
  Takes takes = Takes::as_member;
  int64_t most = std::numeric_limits<int64_t>::max();  // of a whole number
  bool common = false;                                 // every command has it
  const char* names = "";  // what shells offer: kinds of `trainplan list` whose names it takes, "accelerator cluster"
};

/// A flag that takes names of these kinds.
consteval Flag naming(const char* kinds, Flag flag) {
  flag.names = kinds;
  return flag;
}

/// The given value of a flag; monostate: none.
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

/// Whether the value of the flag is of type T.
template <class T> consteval bool is_of(Takes takes) {
  using enum Takes;
  if (std::is_same_v<T, bool>) return takes == nothing;
  if (std::is_same_v<T, std::string>) return takes == text || takes == output || takes == word;
  if (std::is_same_v<T, int64_t>) return takes == whole || takes == positive_whole;
  if (std::is_same_v<T, double>) return takes == number || takes == positive;
  if (std::is_same_v<T, std::vector<double>>) return takes == numbers;
  return std::is_same_v<T, std::vector<std::string>> && (takes == words || takes == list || takes == repeated);
}

/// The default kind for a member, if its row does not set it.
template <class T> inline constexpr Takes kUsual = Takes::repeated;
template <> inline constexpr Takes kUsual<bool> = Takes::nothing;
template <> inline constexpr Takes kUsual<std::string> = Takes::text;
template <> inline constexpr Takes kUsual<int64_t> = Takes::positive_whole;
template <> inline constexpr Takes kUsual<double> = Takes::positive;
template <> inline constexpr Takes kUsual<std::vector<double>> = Takes::numbers;

}  // namespace detail

/// The row of a flag whose value goes to `object.*member`, or to `object.*member.*below` and so on. A member of a type
/// that the flag does not take does not compile.
template <auto member, auto... below> consteval auto flag(Flag words) {
  using Flags = typename detail::MemberOf<decltype(member)>::Owner;
  using Leaf = std::remove_cvref_t<decltype(detail::reach(std::declval<Flags&>(), member, below...))>;
  using Value = typename detail::Stored<Leaf>::Type;
  if (words.takes == Takes::as_member) words.takes = detail::kUsual<Value>;
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

/// The rows of a command in the order of its help: the flags alone for parser and help, and with each flag its setter.
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
