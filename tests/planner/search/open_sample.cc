#include "tests/planner/search/open_sample.h"

namespace sample {

std::optional<planner::OpenScenario> try_open(const std::string& text, const Sets& sets, dsl::Diagnostics& diagnostics,
                                              const std::string& directory) {
  static dsl::Sources sources;  // spans point into them
  sources.push_back({.name = "test.yaml", .text = text, .directory = directory});
  dsl::Source& source = sources.back();
  std::vector<dsl::Override> overrides;
  for (const std::string& set : sets) overrides.push_back({set});
  const dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {}};
  return planner::read_open_scenario(source, overrides, catalog, sources, diagnostics);
}

planner::OpenScenario opened(const std::string& text, const Sets& sets) {
  dsl::Diagnostics diagnostics;
  auto open = try_open(text, sets, diagnostics);
  for (const dsl::Diagnostic& d : diagnostics.list) MESSAGE(dsl::render(d));
  REQUIRE(open.has_value());
  return *std::move(open);
}

std::map<std::string, std::string> members(planner::Scenario s) {
  MemberVisitor visitor;
  fields(visitor, s);
  return visitor.members;
}

}  // namespace sample
