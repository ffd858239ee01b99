#include "tests/planner/workload/dumped.h"

#include <doctest/doctest.h>

#include <sstream>

#include "planner/workload/dump.h"
#include "tests/planner/workload/lower/mixtures.h"

namespace dumped {
namespace {

std::string excerpt(const planner::Scenario& s, const std::string& name) {
  std::istringstream text(planner::dump(sample::workload(s)));
  std::string found = "\n";
  for (std::string line; std::getline(text, line);) {
    size_t at = line.find_first_not_of(' ');
    if (at == std::string::npos || at < 4) continue;
    if (line[at] >= '0' && line[at] <= '9') at = line.find(' ', at) + 1;
    if (line.compare(at, name.size(), name) == 0) found += line + "\n";
  }
  return found;
}

planner::Scenario scenario_of(const Row& row) {
  const std::string model = row.model;
  return model == "gpt"     ? sample::gpt(row.sets)
         : model == "llama" ? sample::llama(row.sets)
                            : mixtures::mixture(row.sets);
}

}  // namespace

void check(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    CAPTURE(row.name);
    CHECK(excerpt(scenario_of(row), row.name) == row.lines);
  }
}

}  // namespace dumped
