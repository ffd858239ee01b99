#include "cli/pages/passes_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "cli/pages/settings_report.h"

namespace cli {
namespace {

using namespace planner::tuning;

// By replay::Kept.
constexpr std::array kSources{"not known", "shapes", "allocations"};
constexpr std::array kSourceTexts{
    "activations are not known",
    "activations are an estimate from shapes",
    "activations are those of recorded allocations",
};

Table pass_rows(const TunedTrace& tuned) {
  Table table{.title = "Passes, each by itself",
              .columns = {{.name = "pass"},
                          {.name = "setting"},
                          {.name = "applies", .rank = 3},
                          {.name = "gain_seconds", .unit = Unit::seconds, .heading = "gain"},
                          {.name = "memory_bytes", .unit = Unit::bytes, .heading = "memory"},
                          {.name = "taken"}}};
  for (const TracedPass& each : tuned.passes) {
    const bool applies = each.why_not.empty();
    table.rows.push_back({each.pass->name, applies ? each.setting : "not applicable: " + each.why_not, applies,
                          applies ? Data(each.gain_seconds) : Data(), applies ? Data(each.memory_bytes) : Data(),
                          each.taken});
  }
  return table;
}

Table decision_rows(const TunedTrace& tuned) {
  Table table{.title = "Decisions",
              .columns = {{.name = "pass"},
                          {.name = "setting"},
                          {.name = "replayed_gain_seconds", .unit = Unit::seconds, .heading = "gain"}}};
  for (const TraceDecision& each : tuned.decisions)
    table.rows.push_back({each.pass->name, each.setting, Data(each.gain_seconds)});
  return table;
}

Table memory_rows(const TunedTrace& tuned) {
  Table table = ways_to_save();
  for (const TraceMemoryWay& way : tuned.memory)
    table.rows.push_back({way.passes, way.setting, way.step_seconds, way.peak_bytes, way.fits});
  return table;
}

std::string title_of(const TunedTrace& tuned) {
  const std::string budget = tuned.budget_bytes ? fmt::format(" of {}", figure(*tuned.budget_bytes, Unit::bytes)) : "";
  return fmt::format("step {} to {}, memory {} to {}{}", figure(tuned.step_before, Unit::seconds),
                     figure(tuned.step_after, Unit::seconds), figure(tuned.peak_before, Unit::bytes),
                     figure(tuned.peak_after, Unit::bytes), budget);
}

std::string memory_text(const TraceMemory& memory) {
  if (memory.peak_bytes() <= 0) return "memory: not known, as the traces say neither shapes nor allocations";
  const auto bytes = [](double value) { return figure(value, Unit::bytes); };
  return fmt::format("memory: parameters {}, gradients {}, states of {} {}, activations {}, others {}; {}",
                     bytes(memory.parameter_bytes), bytes(memory.gradient_bytes),
                     memory.optimizer.empty() ? "an optimizer that is not recorded" : memory.optimizer,
                     bytes(memory.state_bytes), bytes(memory.activation_bytes), bytes(memory.other_bytes),
                     kSourceTexts[static_cast<size_t>(memory.kept)]);
}

/// null: the traces do not say what the run keeps.
Data known(const TraceMemory& memory, double bytes) {
  return memory.kept == planner::replay::Kept::unknown ? Data() : Data(bytes);
}

Data memory_document(const TraceMemory& memory) {
  return Data::Object{{"source", kSources[static_cast<size_t>(memory.kept)]},
                      {"optimizer", memory.optimizer},
                      {"parameter_bytes", memory.parameter_bytes},
                      {"gradient_bytes", memory.gradient_bytes},
                      {"state_bytes", memory.state_bytes},
                      {"activation_bytes", known(memory, memory.activation_bytes)},
                      {"other_bytes", known(memory, memory.other_bytes)}};
}

}  // namespace

std::string nearest_text(const TunedTrace& tuned) {
  const auto least = std::ranges::min_element(tuned.memory, {}, &TraceMemoryWay::peak_bytes);
  const std::string needed = figure(tuned.peak_before, Unit::bytes);
  if (least == tuned.memory.end()) return fmt::format("{} needed, and there is no way to save any", needed);
  return fmt::format("no way to save memory fits {}: {} ({}) comes nearest, with {}",
                     figure(tuned.budget_bytes.value_or(0), Unit::bytes), least->passes, least->setting,
                     figure(least->peak_bytes, Unit::bytes));
}

Report with_passes(const TunedTrace& tuned, const TraceMemory& memory, Report strategies) {
  Table passes = pass_rows(tuned), decisions = decision_rows(tuned), ways = memory_rows(tuned);
  Data::Object document{{"step_seconds_before", tuned.step_before},
                        {"step_seconds_after", tuned.step_after},
                        {"peak_bytes_before", known(memory, tuned.peak_before)},
                        {"peak_bytes_after", known(memory, tuned.peak_after)},
                        {"budget_bytes", Data(tuned.budget_bytes)},
                        {"fits", tuned.fits},
                        {"replays", tuned.replays},
                        {"memory_estimate", memory_document(memory)},
                        {"passes", rows_of(passes)},
                        {"decisions", rows_of(decisions)},
                        {"memory", rows_of(ways)}};
  std::vector<Block> text{title_of(tuned), memory_text(memory)};
  if (!passes.rows.empty()) text.push_back(passes);
  if (!ways.rows.empty()) text.push_back(std::move(ways));
  if (decisions.rows.empty()) text.push_back("no pass makes the step shorter");
  else text.push_back(std::move(decisions));
  return in_front(std::move(document), std::move(text), "passes", std::move(passes), std::move(strategies));
}

}  // namespace cli
