#include "tests/planner/sample.h"

namespace sample {

planner::LoadedScenario load(const std::string& text, const Sets& sets, const std::string& directory) {
  static dsl::Sources sources;  // spans of the records point into them
  sources.push_back({.name = "test.yaml", .text = text, .directory = directory});
  dsl::Source& source = sources.back();
  std::vector<dsl::Override> overrides;
  for (const std::string& set : sets) overrides.push_back({set});
  const dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {}};
  dsl::Diagnostics diagnostics;
  auto loaded = planner::read_scenario(source, overrides, catalog, sources, diagnostics);
  for (const dsl::Diagnostic& d : diagnostics.list) MESSAGE(dsl::render(d));
  REQUIRE(loaded.has_value());
  return *std::move(loaded);
}

planner::Scenario scenario(const std::string& text, const Sets& sets) { return load(text, sets).scenario; }

planner::Scenario gpt(const Sets& sets) { return scenario(kGpt, sets); }

planner::Scenario llama(const Sets& sets) { return scenario(kLlama, sets); }

Sets operator+(Sets a, const Sets& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

planner::Plan plan(const planner::Scenario& s) {
  planner::Plan p = planner::make_plan(s);
  for (const planner::Violation& v : p.violations) INFO(v.rule, ": ", v.message);
  REQUIRE(p.step.has_value());
  return p;
}

planner::Workload workload(const planner::Scenario& s) {
  for (const planner::Violation& v : planner::layout_violations(s)) FAIL(v.rule, ": ", v.message);
  return planner::build_workload(s);
}

bool near(double a, double b, double relative) {
  return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b));
}

std::vector<planner::WorkOp> named(const std::vector<planner::WorkOp>& ops, std::string_view name) {
  std::vector<planner::WorkOp> found;
  for (const planner::WorkOp& op : ops)
    if (op.name.str() == name) found.push_back(op);
  return found;
}

planner::WorkOp only(const std::vector<planner::WorkOp>& ops, std::string_view name, planner::StepPhase phase) {
  std::vector<planner::WorkOp> found;
  for (const planner::WorkOp& op : named(ops, name))
    if (op.phase == phase) found.push_back(op);
  REQUIRE_MESSAGE(found.size() == 1, std::string(name));
  return found.front();
}

operator_models::Gemm gemm(const planner::WorkOp& op) {
  const auto* g = std::get_if<operator_models::Gemm>(&op.op);
  REQUIRE_MESSAGE(g, op.name);
  return *g;
}

operator_models::Collective collective(const planner::WorkOp& op) {
  const auto* c = std::get_if<operator_models::Collective>(&op.op);
  REQUIRE_MESSAGE(c, op.name);
  return *c;
}

double gemm_flops(const planner::WorkOp& op) {
  const auto* g = std::get_if<operator_models::Gemm>(&op.op);
  if (!g) return 0;
  return 2.0 * op.count * static_cast<double>(g->batch) * static_cast<double>(g->m) * static_cast<double>(g->n) *
         static_cast<double>(g->k);
}

}  // namespace sample
