// Building the tree of a scenario or of a catalogue entry, field by field.
#pragma once

#include <string>
#include <string_view>

#include "dsl/record.h"

namespace planner {

/// Puts `value` at `path` ("experts.count") below `root`, with the sections above it; replaces an existing value.
void put_field(dsl::Node& root, std::string_view path, dsl::Node value, const dsl::Span& key_span = {});
/// Takes the field away, if it is there.
void drop_field(dsl::Node& root, std::string_view path);

/// Sorts the fields below `root`, located at `path`, in schema order; others (`use`) come first.
void order_fields(dsl::Node& root, const dsl::Schema& schema, const std::string& path = "");

/// Returns one value with its place; `comment` gives its origin.
dsl::Node value_node(std::string text, const dsl::Span& span, std::string comment = {}, bool quoted = false);

}  // namespace planner
