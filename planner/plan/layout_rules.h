// The rules of layouts: a new rule is one function and one row.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "planner/plan/rule_reads.h"
#include "planner/scenario/scenario.h"

namespace planner {

/// Message of a rule for a layout that breaks it, empty if no words were requested; nullopt: the rule holds.
using Message = std::optional<std::string>;
class RuleWords;

struct LayoutRule {
  const char* name;
  Message (*broken)(const Scenario&, RuleWords);
  RuleReads reads;
  /// Rules about a Transformer's shape do not apply to a fixed operator list. Null: applies to all scenarios.
  bool (*is_about)(const Scenario&) = nullptr;
  RuleReads reads_dense = {};  // in place of `reads` where no candidate has experts; empty: the same

  bool applies(const Scenario& scenario) const { return !is_about || is_about(scenario); }
  /// `in_words`: false for a search, which needs only the verdict on each candidate.
  Message message(const Scenario& scenario, bool in_words = true) const;
};

/// Returns the rules in the order of evaluation.
std::span<const LayoutRule> layout_rules();

}  // namespace planner
