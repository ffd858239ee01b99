// Why a layout is refused: in words for people, or, for a search that asks each of its candidates, only whether.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <type_traits>

namespace planner {

/// What a rule says of a layout that breaks it, empty where nobody asked for words; nullopt: it holds.
using Message = std::optional<std::string>;

class Why {
  template <class Arg> static decltype(auto) spoken(const Arg& arg) {
    if constexpr (std::is_invocable_v<const Arg&>) return arg();
    else return (arg);
  }

 public:
  explicit constexpr Why(bool in_words) : in_words_(in_words) {}

  /// Formats as `fmt::format` does, where words are asked for. An argument that takes work is a function that returns
  /// it: it is called for words alone.
  template <class... Args>
  Message operator()(fmt::format_string<decltype(spoken(std::declval<const Args&>()))...> words,
                     const Args&... args) const {
    return in_words_ ? fmt::format(words, spoken(args)...) : Message(std::in_place);
  }

 private:
  bool in_words_;
};

}  // namespace planner
