// Where a field of a scenario is written and read: examples, entries of the catalogue, defaults of other fields,
// settings of the programs that plans are exported to.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/input/session.h"
#include "dsl/record.h"

namespace cli {

/// A line of a file that writes a field.
struct FieldLine {
  std::string file, value;
  int line = 0;
};

struct FieldUses {
  std::vector<FieldLine> examples;         // one of each example that writes it itself
  std::vector<std::string> entries;        // "software/deepspeed", sorted by kind
  std::vector<std::string> read_by;        // fields whose defaults name it
  std::vector<std::string> settings = {};  // "megatron --tensor-model-parallel-size"
};

/// Looks a field of the scenario schema up. `directories` of --catalog count as the catalogue does.
FieldUses uses_of(const dsl::Field& field, Session& session);

}  // namespace cli
