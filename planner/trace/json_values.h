// Maps and lists of JSON, member by member.
#pragma once

#include <cstring>
#include <string_view>

#include "planner/trace/json_stream.h"

namespace planner::trace {

/// Returns whether a name is a word.
template <size_t kSize> bool is_word(std::string_view name, const char (&word)[kSize]) {
  return name.size() == kSize - 1 && std::memcmp(name.data(), word, kSize - 1) == 0;
}

/// Reads a map within one value (`JsonStream::take`), each member by `read(name)`. False: something is wrong, or the
/// window ends.
template <class Read> bool read_map(JsonStream& json, Read read) {
  if (!json.expect('{')) return false;
  std::string_view name;
  for (bool first = true; json.another('}', first);)
    if (!json.string(name) || !json.expect(':') || !read(name)) return false;
  return !json.starves() && json.wrong().empty();
}

/// The same of a list, each element by `read()`.
template <class Read> bool read_list(JsonStream& json, Read read) {
  if (!json.expect('[')) return false;
  for (bool first = true; json.another(']', first);)
    if (!read()) return false;
  return !json.starves() && json.wrong().empty();
}

/// Takes the elements of a map or a list of any length, which ends with `close`: `read()` reads one and is called again
/// where the window ended, `keep()` takes what it read. False: something is wrong.
template <class Read, class Keep> bool take_elements(JsonStream& json, char close, Read read, Keep keep) {
  bool first = true, more = true;
  while (true) {
    const bool taken = json.take([&] {
      bool alone = first;
      more = json.another(close, alone);
      return more ? read() : !json.starves() && json.wrong().empty();
    });
    if (!taken) return false;
    if (!more) return true;
    first = false;
    if (!keep()) return false;
  }
}

}  // namespace planner::trace
