// Scenarios to export, with a few fields set.
#pragma once

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "planner/export/export.h"
#include "planner/resolve/read.h"
#include "tests/planner/sample.h"

/// One scenario for each target, of what it is best at.
inline std::string export_scenario(const std::string& target) {
  if (target == "accelerate")
    return "model: {use: llama3-8b}\njob: {sequence: 2048, global_batch: 64}\ncluster: {use: dgx-h100, gpus: 16}\n"
           "software: {use: deepspeed}\nparallelism: {zero: 3}\n";
  const bool titan = target.starts_with("torchtitan");
  const std::string software = titan ? "torchtitan" : target == "deepspeed" ? "megatron-deepspeed" : "megatron-core";
  const std::string model = titan || target == "megatron-bridge" ? "llama3-8b" : "gpt3-13b";
  return "model: {use: " + model + "}\njob: {sequence: 2048, global_batch: 64}\n" +
         "cluster: {use: dgx-h100, gpus: 16}\nsoftware: {use: " + software + "}\nparallelism: {tp: 2, pp: 2, " +
         (titan ? "zero: 3, sequence_parallel: true}\n" : "zero: 1}\n");
}

/// What an export says: its settings as "name=value" lines, or the messages of its refusal.
struct Exported {
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  std::optional<planner::LoadedScenario> loaded;
  std::optional<planner::Export> result;

  Exported(const std::string& target, const std::string& text, const std::vector<std::string>& set) {
    const dsl::Source& source = sources.emplace_back(dsl::Source{"a.yaml", text, "/nowhere"});
    const dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {}};
    std::vector<dsl::Override> overrides;
    for (const std::string& one : set) overrides.push_back({one});
    loaded = planner::read_scenario(source, overrides, catalog, sources, diagnostics);
    if (loaded) result = planner::export_plan(*loaded, target, diagnostics);
  }
  Exported(const Exported&) = delete;

  std::string told() const {
    std::string out;
    for (const dsl::Diagnostic& d : diagnostics.list) out += d.message + (d.hint.empty() ? "\n" : "; " + d.hint + "\n");
    return out;
  }
  std::string settings() const {
    std::string out = "\n";
    if (result)
      for (const planner::Setting& s : result->settings) out += s.name + (s.value.empty() ? "" : "=" + s.value) + "\n";
    return out;
  }
};

/// Fields of a plan of accelerate that a round trip changes; a run ends with a whole step.
inline std::string accelerate_differences(const dsl::Record& a, const dsl::Record& b) {
  std::string out;
  for (const dsl::Field& field : planner::scenario_schema()) {
    const std::string& path = field.path;
    const bool kept = path.starts_with("parallelism.") || path.starts_with("software.") || path.starts_with("model.") ||
                      path == "cluster.gpus" || (path.starts_with("job.") && path != "job.tokens");
    if (!kept || path.find_first_of("[*") != std::string::npos) continue;
    const std::string left = dsl::to_text(a.find(path)->value), right = dsl::to_text(b.find(path)->value);
    if (left != right) out += path + ": " + left + " is " + right + "\n";
  }
  return out;
}

/// The parts of "a=1; b=2".
inline std::vector<std::string> parts_of(const std::string& text, const std::string& between) {
  std::vector<std::string> out;
  for (size_t from = 0; from < text.size();) {
    const size_t end = std::min(text.find(between, from), text.size());
    if (end > from) out.push_back(text.substr(from, end - from));
    from = end + between.size();
  }
  return out;
}

/// Fields that are set beside export_scenario, and what that changes: "+name=value" of new settings, "-name=value" of
/// those that are gone, or "refused: field: value".
struct ExportCase {
  const char *set, *outcome;
};

inline std::string export_outcome(const std::string& target, const std::string& set) {
  static std::map<std::string, std::string> unchanged;  // by target: the settings of its scenario
  const std::string text = export_scenario(target);
  const Exported after(target, text, parts_of(set, "; "));
  std::string out;
  for (const dsl::Diagnostic& d : after.diagnostics.list) {
    if (d.severity != dsl::Severity::error) continue;
    const size_t from = d.message.find("cannot express '") + 16, end = d.message.find("'", from);
    out += (out.empty() ? "refused: " : " |") + d.message.substr(from, end - from);
  }
  if (!after.result) return out;
  if (!unchanged.contains(target)) unchanged[target] = Exported(target, text, {}).settings();
  const std::string &old = unchanged[target], now = after.settings();
  for (const std::string& one : parts_of(now, "\n"))
    if (old.find("\n" + one + "\n") == std::string::npos) out += (out.empty() ? "+" : " +") + one;
  for (const std::string& one : parts_of(old, "\n"))
    if (out.find("+" + one.substr(0, one.find('='))) == std::string::npos &&
        now.find("\n" + one + "\n") == std::string::npos)
      out += (out.empty() ? "-" : " -") + one;
  return out;
}

/// The settings or refusals of an outcome, whatever their order.
inline std::vector<std::string> sorted_outcome(std::string outcome) {
  if (outcome.starts_with("refused: ")) outcome = "|" + outcome.substr(9);
  for (size_t at = 0; (at = outcome.find_first_of("+-|", at)) != std::string::npos; ++at)
    if (at > 0 && outcome[at - 1] == ' ') outcome[at - 1] = '\n';
  std::vector<std::string> parts = parts_of(outcome, "\n");
  std::ranges::sort(parts);
  return parts;
}

inline void check_outcomes(const char* target, std::span<const ExportCase> cases) {
  for (const ExportCase& c : cases) {
    CAPTURE(std::string(c.set));
    const std::string outcome = export_outcome(target, c.set);
    CHECK_MESSAGE(sorted_outcome(outcome) == sorted_outcome(c.outcome), outcome,
                  "; expected: ", std::string(c.outcome));
  }
}
