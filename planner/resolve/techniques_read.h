// `techniques:` at the top of a scenario becomes fields: a list of names, or a choice of such lists.
#pragma once

#include "dsl/node.h"

namespace planner {

/// Takes `techniques` out of the tree and writes the field of each into it, at the place of its name;
/// `software.techniques` holds the words of the sets ("none", "a", "a+b"), which the fields follow where it is a
/// choice. A name that no row has, one that is there twice, and a field that the tree holds as well are diagnosed.
void take_techniques(dsl::Node& tree, dsl::Diagnostics& diagnostics);

}  // namespace planner
