// A tree as a YAML text.
#pragma once

#include <string>

#include "dsl/node.h"
#include "dsl/value_text.h"

namespace dsl {

/// Block style, indented by two, lists of values on one line. Each value's comment ends its line, and a map with a
/// comment is on one line. Parsing the output gives the same tree. REQUIRES: a map, whose keys are words.
std::string write_yaml(const Node& map);

/// A value as YAML, on one line: what `--set PATH=` takes.
std::string write_value(const Value& value);
/// A value as a page shows it: a text as it is, a list as the language writes it.
std::string shown_value(const Value& value);

Node scalar_node(std::string text, bool quoted);
/// A value as the language writes it: a scalar, or a list. A field of several words takes one alone, so that a list of
/// one is written as the word. `as_expression`: a text needs the quotes of the language (in
/// `let`), else it is a word or name.
Node value_node(const Value& value, bool as_expression = false);

}  // namespace dsl
