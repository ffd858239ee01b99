// What the hint of a message proposes, tried: put in place of what the message marks, it has to help.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dsl/catalog.h"
#include "dsl/diagnostic.h"

namespace proposals {

/// A reported mistake; `at` is npos if it is not in the file itself.
struct Told {
  std::string message, hint;
  size_t at = 0, length = 0;
};
/// Every mistake of a text, with overrides.
using Read = std::function<std::vector<Told>(const std::string& text, const std::vector<std::string>& overrides)>;

/// The mistakes reported in `source`; others have no place.
std::vector<Told> told_in(const dsl::Source& source, const dsl::Diagnostics& diagnostics);

/// The texts in single quotes of a hint that begins "write" or "did you mean".
std::vector<std::string> of(const std::string& hint);

/// "" if each proposal of each hint removes its message without causing another; else the failure. A key proposed with
/// the path of another section moves there: its line goes, and its value is set.
std::string failure(const std::string& text, const Read& read);

}  // namespace proposals
