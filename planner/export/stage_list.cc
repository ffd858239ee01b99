// Stages of a pipeline as Megatron-Core lists them (megatron/core/transformer/pipeline_parallel_layer_layout.py).
#include "planner/export/stage_list.h"

#include <algorithm>
#include <vector>

#include "planner/export/conditions.h"
#include "planner/workload/partition.h"

namespace planner::exporting {
namespace {

std::string times(const std::string& what, int64_t n) {
  return n == 0 ? "" : n == 1 ? what : what + "*" + std::to_string(n);
}

}  // namespace

StageEnds ends_of(const Scenario& s) {
  const std::vector<int64_t> parts = layers_per_part(s);
  const int64_t middle = parts.size() > 2 ? parts[1] : std::max(parts.front(), parts.back());
  return {.first = parts.front(), .middle = middle, .last = parts.back()};
}

bool needs_list(const Scenario& s) {
  if (!has_pipeline(s)) return false;
  const std::vector<int64_t> parts = layers_per_part(s);
  const StageEnds ends = ends_of(s);
  for (size_t i = 1; i + 1 < parts.size(); ++i)
    if (parts[i] != ends.middle) return true;
  return interleaves(s) && !is_even(s) && !ends.are_counted();
}

std::string write_stage_list(const Scenario& s) {
  const std::vector<int64_t> parts = layers_per_part(s);
  std::string list = "E" + times("t", parts.front()) + "|";
  for (size_t i = 1; i + 1 < parts.size();) {
    const size_t from = i;
    while (i + 1 < parts.size() && parts[i] == parts[from]) ++i;
    const std::string part = times("t", parts[from]) + "|";
    list += i - from > 1 ? "(" + part + ")*" + std::to_string(i - from) : part;
  }
  return list + times("t", parts.back()) + times("m", s.model.mtp) + "L";
}

}  // namespace planner::exporting
