// Rows of a table from a scenario to lines of its dump.
#pragma once

#include <string>
#include <vector>

#include "tests/planner/sample.h"

namespace dumped {

struct Row {
  const char* model;  // "gpt", "llama", or a mixture
  sample::Sets sets;
  const char* name;
  const char* lines;
};

/// Holds every row against the dump of its scenario: the lines whose first word, behind the number of an operator,
/// begins with the name. A number counts from the start of its block.
void check(const std::vector<Row>& rows);

}  // namespace dumped
