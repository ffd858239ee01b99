// Changes of a scenario as `--set` takes them, and a run to try them on.
#pragma once

#include "planner/plan/layout_changes.h"
#include "tests/planner/search/open_sample.h"

namespace sample {

const inline Sets kRun{"job.tokens=1e9", "cluster.price=2 USD/h"};

inline Sets texts(const planner::Sets& sets) {
  Sets out;
  for (const auto& [path, value] : sets) out.push_back(path + "=" + value);
  return out;
}

/// The scenario of a text and sets, read again with additional sets.
inline planner::Reread reader(const std::string& text, const Sets& base) {
  return [text, base](const planner::Sets& sets) -> std::optional<planner::LoadedScenario> {
    return load(text, base + texts(sets));
  };
}

}  // namespace sample
