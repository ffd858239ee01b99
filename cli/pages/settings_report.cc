// Decisions: settings of a scenario, and passes on a measured run.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "cli/pages/tune_report.h"
#include "cli/report/row_fields.h"
#include "dsl/quoting.h"

namespace cli {
namespace {

using planner::MemoryWay;
using planner::SettingDecision;
using planner::TunedSettings;
using namespace planner::tuning;

// By replay::Kept.
constexpr std::array kSources{"not known", "shapes", "allocations"};
constexpr std::array kSourceTexts{
    "activations are not known",
    "activations are an estimate from shapes",
    "activations are those of recorded allocations",
};

std::string flags_of(const planner::Sets& sets) {
  std::string flags;
  for (const auto& [path, value] : sets) flags += " --set " + dsl::shell_word(path + "=" + value);
  return flags;
}

/// What `--set` takes: "software.bucket_bytes=64 MiB".
std::string setting_text(const planner::Sets& sets) {
  return text_list(
      sets, [](const auto& set) { return set.first + "=" + set.second; }, "; ");
}

template <class Decision> std::string pass_of(const Decision& each) { return each.pass->name; }

template <class Decision, class Setting> RowFields<Decision> decision_fields(Setting setting) {
  return {{"pass", pass_of<Decision>},
          {"setting", setting},
          {"replayed_gain_seconds", &Decision::gain_seconds, Unit::seconds, "gain"}};
}

Table decision_rows(const TunedSettings& tuned) {
  auto fields = decision_fields<SettingDecision>([](auto& each) { return setting_text(each.sets); });
  fields.add({"edits", [](auto& each) { return each.pass->edits; }, Unit::text, "", 1});
  fields.add({"bound", [](auto& each) { return each.pass->bound; }, Unit::text, "", 2});
  return fields.table(tuned.decisions, "Decisions");
}

template <class Way, class Setting> Table memory_rows(const std::vector<Way>& ways, Setting setting) {
  const RowFields<Way> fields{
      {"passes", &Way::passes},
      {"setting", setting},
      {"step_seconds", &Way::step_seconds, Unit::seconds, "step"},
      {"peak_bytes", &Way::peak_bytes, Unit::bytes, "memory"},
      {"fits", &Way::fits},
  };
  return fields.table(ways, "Ways to save memory");
}

Table pass_rows(const TunedTrace& tuned) {
  const auto applies = [](const TracedPass& each) { return each.why_not.empty(); };
  const auto setting = [&](const TracedPass& each) {
    return applies(each) ? each.setting : "not applicable: " + each.why_not;
  };
  const auto applied = [&](double TracedPass::*figure) {
    return [=](const TracedPass& each) { return applies(each) ? Data(each.*figure) : Data(); };
  };
  const RowFields<TracedPass> fields{
      {"pass", pass_of<TracedPass>},
      {"setting", setting},
      {"applies", applies, Unit::text, "", 3},
      {"gain_seconds", applied(&TracedPass::gain_seconds), Unit::seconds, "gain"},
      {"memory_bytes", applied(&TracedPass::memory_bytes), Unit::bytes, "memory"},
      {"taken", &TracedPass::taken},
  };
  return fields.table(tuned.passes, "Passes, each by itself");
}

/// The step and the memory before and after.
struct TunedFigures {
  double step_before, step_after, peak_before, peak_after;
  std::optional<double> budget;

  std::string title() const {
    return fmt::format("step {} to {}, memory {} to {}{}", figure(step_before, Unit::seconds),
                       figure(step_after, Unit::seconds), figure(peak_before, Unit::bytes),
                       figure(peak_after, Unit::bytes), budget ? " of " + figure(*budget, Unit::bytes) : "");
  }
};
TunedFigures figures_of(const TunedSettings& tuned) {
  return {tuned.before.step->seconds, tuned.after.step->seconds, tuned.before.memory->device.peak_bytes,
          tuned.after.memory->device.peak_bytes, tuned.budget_bytes};
}
TunedFigures figures_of(const TunedTrace& tuned) {
  return {tuned.step_before, tuned.step_after, tuned.peak_before, tuned.peak_after, tuned.budget_bytes};
}

/// `name_of`: the way in words.
template <class Tuned, class Name> std::string nearest_of(const Tuned& tuned, Name name_of) {
  const TunedFigures figures = figures_of(tuned);
  const auto least = std::ranges::min_element(tuned.memory, {}, [](const auto& way) { return way.peak_bytes; });
  if (least == tuned.memory.end())
    return fmt::format("{} needed, and there is no way to save any", figure(figures.peak_before, Unit::bytes));
  return fmt::format("no way to save memory fits {}: {} comes nearest, with {}",
                     figure(figures.budget.value_or(0), Unit::bytes), name_of(*least),
                     figure(least->peak_bytes, Unit::bytes));
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

/// Puts a document and a page in front of those of strategies. Where these have no rows, the rows are `table`, as
/// `key`.
Report in_front(Data::Object document, std::vector<Block> text, const char* key, Table table, Report strategies) {
  for (Block& block : strategies.text) text.push_back(std::move(block));
  strategies.document = joined(std::move(document), std::move(strategies.document));
  strategies.text = std::move(text);
  strategies.format = "trainplan.tune/1";
  if (!strategies.key.empty()) return strategies;
  strategies.key = key;
  strategies.table = std::move(table);
  return strategies;
}

}  // namespace

std::string no_strategies(const planner::tuning::Tunable& pass) {
  return fmt::format("gradients: {}{}{}", pass.why_not, pass.hint.empty() ? "" : "; ", pass.hint);
}

std::string nearest_text(const TunedSettings& tuned) {
  return nearest_of(tuned, [](const MemoryWay& way) { return setting_text(way.sets); });
}
std::string nearest_text(const TunedTrace& tuned) {
  return nearest_of(tuned, [](const TraceMemoryWay& way) { return fmt::format("{} ({})", way.passes, way.setting); });
}

Report with_settings(const TunedSettings& tuned, Report strategies) {
  const TunedFigures figures = figures_of(tuned);
  Table decisions = decision_rows(tuned);
  Table memory = memory_rows(tuned.memory, [](const MemoryWay& way) { return setting_text(way.sets); });
  Data::Object document{{"step_seconds_before", figures.step_before},
                        {"step_seconds_after", figures.step_after},
                        {"peak_bytes_before", figures.peak_before},
                        {"peak_bytes_after", figures.peak_after},
                        {"budget_bytes", tuned.budget_bytes},
                        {"fits", tuned.fits},
                        {"plans", tuned.plans},
                        {"decisions", rows_of(decisions)},
                        {"memory", rows_of(memory)}};
  std::vector<Block> text{figures.title()};
  if (!memory.rows.empty()) text.push_back(std::move(memory));
  if (decisions.rows.empty()) text.push_back("no setting makes the step shorter");
  else text.push_back(decisions), text.push_back("to apply them:" + flags_of(tuned.sets()));
  return in_front(std::move(document), std::move(text), "decisions", std::move(decisions), std::move(strategies));
}

Report with_passes(const TunedTrace& tuned, const TraceMemory& memory, Report strategies) {
  Table passes = pass_rows(tuned),
        decisions = decision_fields<TraceDecision>(&TraceDecision::setting).table(tuned.decisions, "Decisions"),
        ways = memory_rows(tuned.memory, &TraceMemoryWay::setting);
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
  std::vector<Block> text{figures_of(tuned).title(), memory_text(memory)};
  if (!passes.rows.empty()) text.push_back(passes);
  if (!ways.rows.empty()) text.push_back(std::move(ways));
  if (decisions.rows.empty()) text.push_back("no pass makes the step shorter");
  else text.push_back(std::move(decisions));
  return in_front(std::move(document), std::move(text), "passes", std::move(passes), std::move(strategies));
}

}  // namespace cli
