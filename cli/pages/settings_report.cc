#include "cli/pages/settings_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "dsl/quoting.h"

namespace cli {
namespace {

using planner::TunedSettings;

std::string flags_of(const planner::Sets& sets) {
  std::string flags;
  for (const auto& [path, value] : sets) flags += " --set " + dsl::shell_word(path + "=" + value);
  return flags;
}

Table decision_rows(const TunedSettings& tuned) {
  Table table{.title = "Decisions",
              .columns = {{.name = "pass"},
                          {.name = "setting"},
                          {.name = "replayed_gain_seconds", .unit = Unit::seconds, .heading = "gain"},
                          {.name = "edits", .rank = 1},
                          {.name = "bound", .rank = 2}}};
  for (const planner::SettingDecision& each : tuned.decisions)
    table.rows.push_back(
        {each.pass->name, setting_text(each.sets), Data(each.gain_seconds), each.pass->edits, each.pass->bound});
  return table;
}

Table memory_rows(const TunedSettings& tuned) {
  Table table = ways_to_save();
  for (const planner::MemoryWay& way : tuned.memory)
    table.rows.push_back({way.passes, setting_text(way.sets), way.step_seconds, way.peak_bytes, way.fits});
  return table;
}

std::string title_of(const TunedSettings& tuned) {
  return fmt::format(
      "step {} to {}, memory {} to {} of {}", figure(tuned.before.step->seconds, Unit::seconds),
      figure(tuned.after.step->seconds, Unit::seconds), figure(tuned.before.memory->device.peak_bytes, Unit::bytes),
      figure(tuned.after.memory->device.peak_bytes, Unit::bytes), figure(tuned.budget_bytes, Unit::bytes));
}

}  // namespace

std::string setting_text(const planner::Sets& sets) {
  std::string text;
  for (const auto& [path, value] : sets) text += (text.empty() ? "" : "; ") + path + "=" + value;
  return text;
}

Table ways_to_save() {
  return {.title = "Ways to save memory",
          .columns = {{.name = "passes"},
                      {.name = "setting"},
                      {.name = "step_seconds", .unit = Unit::seconds, .heading = "step"},
                      {.name = "peak_bytes", .unit = Unit::bytes, .heading = "memory"},
                      {.name = "fits"}}};
}

Report in_front(Data::Object document, std::vector<Block> text, const char* key, Table table, Report strategies) {
  for (auto& member : strategies.document) document.push_back(std::move(member));
  for (Block& block : strategies.text) text.push_back(std::move(block));
  strategies.document = std::move(document);
  strategies.text = std::move(text);
  strategies.format = "trainplan.tune/1";
  if (!strategies.key.empty()) return strategies;
  strategies.key = key;
  strategies.table = std::move(table);
  return strategies;
}

std::string no_strategies(const planner::tuning::Tunable& pass) {
  return fmt::format("gradients: {}{}{}", pass.why_not, pass.hint.empty() ? "" : "; ", pass.hint);
}

std::string nearest_text(const TunedSettings& tuned) {
  const auto least = std::ranges::min_element(tuned.memory, {}, &planner::MemoryWay::peak_bytes);
  const std::string needed = figure(tuned.before.memory->device.peak_bytes, Unit::bytes);
  if (least == tuned.memory.end()) return fmt::format("{} needed, and there is no way to save any", needed);
  return fmt::format("no way to save memory fits {}: {} comes nearest, with {}",
                     figure(tuned.budget_bytes, Unit::bytes), setting_text(least->sets),
                     figure(least->peak_bytes, Unit::bytes));
}

Report with_settings(const TunedSettings& tuned, Report strategies) {
  Table decisions = decision_rows(tuned), memory = memory_rows(tuned);
  Data::Object document{{"step_seconds_before", tuned.before.step->seconds},
                        {"step_seconds_after", tuned.after.step->seconds},
                        {"peak_bytes_before", tuned.before.memory->device.peak_bytes},
                        {"peak_bytes_after", tuned.after.memory->device.peak_bytes},
                        {"budget_bytes", tuned.budget_bytes},
                        {"fits", tuned.fits},
                        {"plans", tuned.plans},
                        {"decisions", rows_of(decisions)},
                        {"memory", rows_of(memory)}};
  std::vector<Block> text{title_of(tuned)};
  if (!memory.rows.empty()) text.push_back(std::move(memory));
  if (decisions.rows.empty()) text.push_back("no setting makes the step shorter");
  else text.push_back(decisions), text.push_back("to apply them:" + flags_of(tuned.sets()));
  return in_front(std::move(document), std::move(text), "decisions", std::move(decisions), std::move(strategies));
}

}  // namespace cli
