// Laying one tree over another, and `--set` over the result.
#pragma once

#include "dsl/catalog.h"

namespace dsl {

/// Lays `over` over `base`: maps merge key by key, deeply; anything else replaces. An empty section (null over a map)
/// keeps the map below it. A map over a list of maps, whose keys are the items' names (`wires: {copper: {length:
/// ...}}`), is laid over those items. A name that no item has is diagnosed.
void merge(Node& base, const Node& over, Diagnostics& diagnostics);
/// The item of a list of maps that has this `name`, or null.
Node* item_named(Node& list, std::string_view name);

/// One override, parsed: `value` goes to `path`.
struct ParsedOverride {
  struct PathStep {
    std::string key;
    int index = -1;  // >= 0: the item of the list `key`
    Span span;
  };
  std::vector<PathStep> path;
  Node value;
  char change = 0;  // '*' of PATH*=VALUE, '/', '+' or '-': what is there and `value` make the new value
};

/// Returns '*' of "PATH*=VALUE", '/', '+' or '-'; 0: the text sets a value.
char change_sign(std::string_view set);
/// PATH=VALUE, or PATH*=VALUE, which changes what is there. False if it cannot be read (diagnosed; the message shows
/// `example`).
bool parse_override(const Source& source, ParsedOverride& out, Diagnostics& diagnostics, std::string_view example);
/// One that a file writes: its places are in that file. REQUIRES: it has a node.
bool parse_written(const Override& written, ParsedOverride& out, Diagnostics& diagnostics, std::string_view example);

/// Puts the override into the tree. Where it is not `last`, an item that does not exist (yet) is passed over. A change
/// of a list changes its items; of nothing, or of a section, it is diagnosed.
void apply_override(Node& root, const ParsedOverride& o, bool last, Diagnostics& diagnostics);

}  // namespace dsl
