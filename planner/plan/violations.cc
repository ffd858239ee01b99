#include "planner/plan/violations.h"

#include <fmt/format.h>

#include <algorithm>

#include "planner/plan/at_length.h"
#include "planner/plan/layout_rules.h"

namespace planner {

size_t layout_rule_count() { return layout_rules().size(); }

const char* layout_rule_name(size_t rule) { return layout_rules()[rule].name; }

bool breaks_layout_rule(size_t rule, const Scenario& s) { return layout_rules()[rule].message(s, false).has_value(); }

size_t first_broken_layout_rule(const Scenario& s) {
  size_t rule = 0;
  while (rule < layout_rule_count() && !breaks_layout_rule(rule, s)) ++rule;
  return rule;
}

const char* broken_layout_rule(const Scenario& s) {
  const size_t rule = first_broken_layout_rule(s);
  return rule < layout_rule_count() ? layout_rule_name(rule) : nullptr;
}

// Whether it is the field, or one inside of it; a row that ends in a dot, or is empty, names all that begin so.
static bool is_inside(std::string_view path, std::string_view row) {
  if (!path.starts_with(row)) return false;
  return row.empty() || row.back() == '.' || path.size() == row.size() || path[row.size()] == '.' ||
         path[row.size()] == '[';
}

static bool has_no_experts(const OpenScenario& open) {
  const auto opens = [](const dsl::OpenItem& item) { return item.path == "model.experts.count"; };
  return open.sample.model.experts.count == 0 && std::ranges::none_of(open.space.items(), opens);
}

// Whether a rule applies follows from what lists there are, which no field changes.
static bool reads(const LayoutRule& rule, const RuleReads& rows, std::string_view path, const Scenario& s) {
  return rule.applies(s) && std::ranges::any_of(rows, [&](std::string_view row) { return is_inside(path, row); });
}

bool layout_rule_reads(size_t rule, std::string_view path, const OpenScenario& open) {
  const LayoutRule& of = layout_rules()[rule];
  return reads(of, !of.reads_dense.empty() && has_no_experts(open) ? of.reads_dense : of.reads, path, open.sample);
}

bool layout_rule_reads(size_t rule, std::string_view path, const Scenario& s) {
  return reads(layout_rules()[rule], layout_rules()[rule].reads, path, s);
}

/// A message says at which length it holds.
static std::string named(const std::string& message, int64_t length) {
  if (message.find(std::to_string(length)) != std::string::npos) return message;
  return fmt::format("{} (at a sequence length of {})", message, length);
}

static std::vector<Violation> violations_of_one(const Scenario& s) {
  std::vector<Violation> out;
  for (const LayoutRule& rule : layout_rules())
    if (Message message = rule.message(s)) out.push_back({rule.name, *message});
  return out;
}

std::vector<Violation> layout_violations(const Scenario& s) {
  std::vector<Violation> out = violations_of_one(s);
  const auto told = [&](const std::string& rule) {
    return std::any_of(out.begin(), out.end(), [&](const Violation& v) { return v.rule == rule; });
  };
  for (const LengthShare& share : s.lengths.shares)
    for (const Violation& v : violations_of_one(at_length(s, share)))
      if (!told(v.rule)) out.push_back({v.rule, named(v.message, share.length)});
  return out;
}

}  // namespace planner
