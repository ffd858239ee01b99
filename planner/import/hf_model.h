// A configuration as the model that one architecture makes of it.
#pragma once

#include <string>
#include <vector>

#include "dsl/node.h"
#include "planner/import/hf_table.h"

namespace planner::hf {

/// The model that a row of the table reads.
struct ModelReading {
  dsl::Node model;  // broken where there is an error
  int shared = 0;   // keys that the row names and the configuration has
  int lacked = 0;   // keys that the row names and the configuration does not have
  std::vector<std::string> unread, missing;
};

/// Reads `config` by the row; `name`: where the architecture is written.
ModelReading read_as(const dsl::Node& config, const Architecture& row, const dsl::Span& name,
                     dsl::Diagnostics& diagnostics);

/// Returns the row of an architecture or of a `model_type`; null: it is not known.
const Architecture* named(const std::string& name);
const Architecture* of_type(const std::string& model_type);

}  // namespace planner::hf
