// Plans of many candidates: blocks that several of them share are built and costed once.
//
// A block - a layer, the embedding, the head, for one microbatch - depends on a few of the fields that a search varies.
// Its key holds every open field but those of a table that no block reads, and the groups its communication runs in.
// What a key holds for nothing only costs time; what it lacks would be wrong, so that the table names the exceptions.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "planner/step.h"

namespace planner {

class Evaluator {
 public:
  explicit Evaluator(const OpenScenario& open);

  /// The plan of the candidate under the cursor, bit for bit, without `sources` and `communication`. REQUIRES: `s` is
  /// that candidate, and breaks no layout rule.
  Plan plan(const dsl::Cursor& cursor, const Scenario& s);

 private:
  const std::string& key_of(const dsl::Cursor& cursor, const Scenario& s);

  std::vector<size_t> of_blocks_;  // open items that blocks depend on
  std::string key_;
  std::unordered_map<std::string, CostedWorkload> costed_;  // blocks; stages of the last candidate
};

}  // namespace planner
