// A table of measured runs of tests/accuracy, and their predictions.
#pragma once

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "planner/studies/runs/score.h"

namespace sample {

inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// `name`: of a file in tests/accuracy. A row may name a scenario beside it.
inline planner::Score score_table(const std::string& name) {
  const std::filesystem::path path = std::filesystem::path(TRAINPLAN_SOURCE_DIR "/tests/accuracy") / name;
  const dsl::Source source{name, text_of(path), ""};
  dsl::Diagnostics diagnostics;
  dsl::CsvTable table = dsl::read_csv(source, diagnostics);
  std::vector<planner::Run> runs = planner::read_runs(table, diagnostics);
  REQUIRE_FALSE(diagnostics.has_errors());
  for (planner::Run& run : runs)
    if (!run.config.file.empty()) run.config.scenario = text_of(path.parent_path() / run.config.file);
  return planner::score_runs(std::move(runs), {.builtin = planner::builtin_catalog(), .directories = {}});
}

}  // namespace sample
