// Words of a Python text, with the lines and blocks that its indentation makes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dsl/diagnostic.h"

namespace planner {

enum class PythonTokenKind { name, number, string, sign, newline, indent, dedent, end };

struct PythonToken {
  using Kind = PythonTokenKind;
  Kind kind = Kind::end;
  size_t begin = 0, end = 0;  // bytes of the text
};

/// Returns the words of a text; the last is `end`. Diagnosed (then without words): text that Python does not read,
/// a text of too many words.
std::vector<PythonToken> python_tokens(const dsl::Source& source, dsl::Diagnostics& diagnostics);

/// The value of a string as it is written, quotes and all. Bytes that do not print are blanks, as in TOML.
std::string python_string(std::string_view written);
/// Whether a string is made of names that hold something: f"{x}".
bool is_python_format(std::string_view written);
/// A number as written, whole ones as decimals and without '_'. Empty: not a number of a plan (1j).
std::string python_number(std::string_view written);

}  // namespace planner
