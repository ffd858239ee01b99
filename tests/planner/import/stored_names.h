// Names of flags and keys, as the sources of a program have them: tests/planner/import/names, a name a line.
#pragma once

#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/planner/import/import_sample.h"

/// The names of some lists together.
inline std::set<std::string> stored_names(const std::vector<const char*>& lists) {
  std::set<std::string> names;
  for (const char* list : lists) {
    std::istringstream lines(import_text("names/" + std::string(list) + ".txt"));
    for (std::string line; std::getline(lines, line);)
      if (!line.empty() && line[0] != '#') names.insert(line);
  }
  return names;
}
