// The rules of layouts: a new rule is one function and one row.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "planner/plan/rule_reads.h"
#include "planner/scenario/scenario.h"

namespace planner {

/// What a rule is about; those of a Transformer's shape say nothing of a fixed operator list.
enum class About { any_model, transformer, fixed_list, fitted_models };

/// What a rule says of a layout that breaks it, empty where nobody asked for words; nullopt: it holds.
using Message = std::optional<std::string>;
class Why;

struct LayoutRule {
  const char* name;
  Message (*broken)(const Scenario&, Why);
  RuleReads reads;
  About about = About::any_model;
  RuleReads reads_dense = {};  // in place of `reads` where no candidate has experts; empty: the same

  bool applies(const Scenario& scenario) const;
  /// `in_words`: false for a search, which asks each of its candidates only whether.
  Message message(const Scenario& scenario, bool in_words = true) const;
};

/// Returns the rules in the order in which they are asked.
std::span<const LayoutRule> layout_rules();

}  // namespace planner
