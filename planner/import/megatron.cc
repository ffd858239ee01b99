#include "planner/import/megatron.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "dsl/raw_text.h"
#include "planner/import/field_tree.h"
#include "planner/import/launch_line.h"
#include "planner/import/megatron_flags.h"
#include "planner/import/megatron_yaml.h"
#include "planner/scenario/scenario.h"

namespace planner {
namespace {

using megatron::Flags;

constexpr int64_t kMostGpus = 1'000'000;  // of a degree

/// The training script's name. Those of other models than GPT and hybrids take other flags.
std::string script_of(const ShellCommand& command, dsl::Diagnostics& diagnostics) {
  constexpr std::string_view kKnown[] = {"pretrain_gpt.py", "pretrain_mamba.py", "pretrain_hybrid.py"};
  for (const ShellWord& word : command.words) {
    const std::string name = word.text.substr(word.text.rfind('/') + 1);
    if (!name.starts_with("pretrain_") || !name.ends_with(".py")) continue;
    if (std::ranges::find(kKnown, name) == std::end(kKnown))
      diagnostics.warning(word.span, "'" + name + "' is read as pretrain_gpt.py");
    return name;
  }
  return "";
}

/// GPUs that hold the model once; 0: a degree is not a number, which is reported where it is read.
int64_t ranks_of_replica(const Flags& f) {
  int64_t ranks = 1;
  for (const char* flag :
       {"--tensor-model-parallel-size", "--pipeline-model-parallel-size", "--context-parallel-size"}) {
    const std::string text = f.has(flag) ? f.text(flag) : "1";
    int64_t degree = 0;
    std::from_chars(text.data(), text.data() + text.size(), degree);
    ranks *= std::min<int64_t>(degree, kMostGpus);
  }
  return ranks;
}

void cluster(Flags& f, const std::string& name) {
  if (name.empty()) f.leave_open("cluster.use", "a cluster of `trainplan list cluster`");
  else put_field(f.scenario, "cluster.use", value_node(name, {}, "", true));
  const char* each = f.has("--nproc_per_node") ? "--nproc_per_node" : "--nproc-per-node";
  for (const char* flag : {each, "--nnodes"})  // a script may leave them to its caller
    if (f.text(flag).starts_with('$')) return f.leave_open("cluster.gpus", std::string(flag) + " " + f.text(flag));
  if (!f.has(each)) return f.leave_open("cluster.gpus", "GPUs of the job");
  const int64_t nodes = f.count("--nnodes", 1), gpus = f.count(each, 1);
  const int64_t replica = ranks_of_replica(f);
  if (!f.has("--nnodes") && replica > 0 && gpus % replica != 0)
    return f.leave_open("cluster.gpus", fmt::format("GPUs of the job: a replica has {} ranks, and without --nnodes "
                                                    "there are {}",
                                                    replica, gpus));
  f.put("cluster.gpus", std::to_string(nodes) + " * " + std::to_string(gpus), each);
}

ImportedRun scenario_of(Flags& flags, const std::string& cluster_name, const dsl::Span& place) {
  put_field(flags.scenario, "software.use", value_node("megatron-core", place, "", true));
  flags.put_fields();
  megatron::model_rules(flags);
  megatron::job_rules(flags);
  megatron::layout_rules(flags);
  megatron::software_rules(flags);
  cluster(flags, cluster_name);
  std::vector<std::string> ignored = flags.judge();
  order_fields(flags.scenario, scenario_schema());
  flags.scenario.span = place;
  return {std::move(flags.scenario), std::move(ignored), flags.complete};
}

/// Reports a launch line that leaves everything to a YAML; Megatron-LM reads no other flag then.
bool stands_in_yaml(Flags& flags) {
  const char* flag = "--yaml-cfg";
  if (!flags.has(flag)) return false;
  flags.error(flag, "the run is configured by --yaml-cfg '" + dsl::shortened(flags.text(flag)) + "'",
              "`trainplan import megatron FILE.yaml SCRIPT` reads both");
  return true;
}

/// Beside a YAML a launch line says how many processes there are; Megatron-LM reads no other flag of it, and neither is
/// any read here. Returns these.
std::vector<std::string> add_launch(ShellCommand& yaml, const ShellCommand* line) {
  std::vector<std::string> unread;
  bool taken = false;
  for (const ShellWord& word : line ? line->words : std::vector<ShellWord>{}) {
    const bool flag = word.text.starts_with("--");
    const std::string name = word.text.substr(0, word.text.find('='));
    if (flag) taken = name == "--nnodes" || name == "--nproc_per_node" || name == "--nproc-per-node";
    if (flag && !taken) unread.push_back(name);
    if (taken) yaml.words.push_back(word);
  }
  return unread;
}

}  // namespace

ImportedRun import_megatron(const RunFiles& files, dsl::Diagnostics& diagnostics) {
  const dsl::Source& text = *files.config;
  const dsl::Span place{&text, 1, 1, 1};
  for (const dsl::Source* source : {files.config, files.launch})
    if (source && !dsl::is_readable(*source, diagnostics, {})) return {};
  ShellText shell;
  if (!megatron::is_yaml(text)) shell = read_shell(text, diagnostics);
  else if (files.launch) shell = read_shell(*files.launch, diagnostics);
  const ShellCommand* line = launch_of(shell);
  if (megatron::is_yaml(text)) {
    megatron::YamlFlags yaml = megatron::flags_of_yaml(text, diagnostics);
    if (yaml.command.words.empty()) {
      if (!diagnostics.has_errors()) diagnostics.error(place, "no arguments of Megatron-LM here");
      return {};
    }
    std::vector<std::string> unread = add_launch(yaml.command, line);
    Flags flags(yaml.command, place, diagnostics);
    flags.name_keys(std::move(yaml.keys));
    if (line) flags.script = script_of(*line, diagnostics);
    ImportedRun run = scenario_of(flags, files.cluster, place);
    run.ignored.insert(run.ignored.end(), unread.begin(), unread.end());
    return run;
  }
  if (!line) {
    if (!diagnostics.has_errors()) diagnostics.error(place, "no flags of Megatron-LM here");
    return {};
  }
  Flags flags(*line, line->words.front().span, diagnostics);
  flags.script = script_of(*line, diagnostics);
  if (!stands_in_yaml(flags)) return scenario_of(flags, files.cluster, place);
  return {};
}

}  // namespace planner
