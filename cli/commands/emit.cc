#include "cli/files/emit.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/args/words.h"
#include "cli/commands/commands.h"
#include "cli/commands/flags.h"
#include "cli/commands/limit.h"
#include "cli/commands/open.h"
#include "cli/files/partial_check.h"
#include "dsl/quoting.h"

namespace cli {
namespace {

struct EmitFlags {
  CommonFlags common;
  ScenarioFlags scenario;
  std::optional<int64_t> shards;
  std::vector<std::string> pareto;  // of the search
};

constexpr std::array kEmitRows{
    flag<&EmitFlags::shards>(
        {"--shards", "N", "number of tasks that share the space (16)", Takes::positive_whole, kMostShards}),
    flag<&EmitFlags::pareto>({"--pareto", "A,B", "as of search", Takes::list}),
};
constexpr auto kEmitFlags = scenario_flags(kEmitRows);
constexpr int64_t kShards = 16, kThreads = 8;

/// Additional flags of the tasks; --top, --catalog, --prices and --set too.
std::vector<std::string> search_flags(const EmitFlags& options) {
  std::vector<std::string> flags;
  const auto add = [&](const char* name, const std::string& value) { flags.insert(flags.end(), {name, value}); };
  for (const std::string& set : options.scenario.set) add("--set", set);
  if (!options.scenario.prices.empty()) add("--prices", options.scenario.prices);
  for (const std::string& directory : options.common.catalog) add("--catalog", directory);
  if (options.common.top) add("--top", std::to_string(*options.common.top));
  if (!options.pareto.empty()) add("--pareto", fmt::format("{}", fmt::join(options.pareto, ",")));
  return flags;
}

/// The first word that no script should hold.
std::optional<std::string> hidden_word(const std::string& scenario, std::vector<std::string> words) {
  words.push_back(scenario);
  const auto hidden = [](const std::string& word) { return dsl::find_hidden(word) != std::string::npos; };
  const auto found = std::ranges::find_if(words, hidden);
  return found == words.end() ? std::nullopt : std::optional(*found);
}

int run_emit(const EmitFlags& options, Streams& streams) {
  const std::string& name = options.common.inputs.at(0);
  const auto targets = emit_targets();
  const auto target = std::ranges::find_if(targets, [&](const EmitTarget& t) { return name == t.name; });
  const std::vector<std::string> known = names_of(targets);
  if (target == targets.end())
    return refuse_usage(
        "emit", fmt::format("unknown target '{}'{}; known: {}", name, or_meant(name, known), fmt::join(known, ", ")),
        streams);
  // A mistake in the scenario is reported here once, not by every task.
  const int64_t shards = options.shards.value_or(kShards);
  Session session;
  CommonFlags scenario = options.common;
  scenario.inputs.erase(scenario.inputs.begin());
  ScenarioFlags flags = options.scenario;  // what the layout policy opens, each task opens again
  const auto open =
      load_open(scenario, flags, streams, session, kDefaultLimit, planner::Opens::unwritten, shards).scenario;
  if (const auto word = hidden_word(scenario.inputs[0], search_flags(options)))
    session.diagnostics.error({}, fmt::format("a letter of '{}' does not show, and is in no script", *word),
                              "rename the file, or write the value without it");
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  const std::string& file = scenario.inputs[0];
  const bool like_flag = file.starts_with('-') && file != "-";  // given behind "--"
  const std::string text = target->text({.scenario = (like_flag ? "./" : "") + file,
                                         .shards = shards,
                                         .threads = options.scenario.threads.value_or(kThreads),
                                         .flags = search_flags(options)});
  if (options.common.format != "table") {
    Report report{.format = "trainplan.emit/1", .document = {{"target", name}, {"text", text}}};
    CommonFlags shown = options.common;
    shown.top.reset();  // of the search
    return print(std::move(report), shown, streams, "emit");
  }
  streams.out << text;
  return kDone;
}

constexpr Example kEmitExamples[] = {
    {"a search in 16 parts as a job of Slurm", "trainplan emit slurm example:gpt3-175b-search --shards 16 --threads 8"},
    {"as a job of Kubernetes", "trainplan emit kubernetes example:gpt3-175b-search --pareto days,usd"},
};

}  // namespace

Command emit_command() {
  return command_of<kEmitFlags, run_emit>(
      {.name = "emit",
       .summary = "write a search in shards as a job script: slurm, parallel, snakemake, nextflow, kubernetes",
       .argument = "TARGET SCENARIO",
       .examples = kEmitExamples});
}

}  // namespace cli
