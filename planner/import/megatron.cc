#include "planner/import/megatron.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "dsl/json.h"
#include "dsl/raw_text.h"
#include "planner/import/field_tree.h"
#include "planner/import/launch_line.h"
#include "planner/import/launch_size.h"
#include "planner/import/megatron_flags.h"
#include "planner/import/megatron_yaml.h"
#include "planner/scenario/scenario.h"

namespace planner {
namespace {

using megatron::Flags;

/// The training script's name. Those of other models than GPT and hybrids take other flags.
std::string script_of(const ShellCommand& command, dsl::Diagnostics& diagnostics) {
  constexpr std::string_view kKnown[] = {"pretrain_gpt.py", "pretrain_mamba.py", "pretrain_hybrid.py"};
  constexpr std::string_view kOthers[] = {"pretrain_t5.py", "pretrain_ict.py", "pretrain_retro.py", "pretrain_vlm.py",
                                          "pretrain_vision_"};  // the beginnings of names
  for (const ShellWord& word : command.words) {
    const std::string name = word.text.substr(word.text.rfind('/') + 1);
    if (!name.starts_with("pretrain_") || !name.ends_with(".py")) continue;
    if (std::ranges::any_of(kOthers, [&](std::string_view other) { return name.starts_with(other); }))
      diagnostics.error(word.span, "'" + name + "' trains another model than GPT, which is not planned");
    else if (std::ranges::find(kKnown, name) == std::end(kKnown))
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
    ranks *= std::min(degree, kMostRanks);
  }
  return ranks;
}

void cluster(Flags& f, const std::string& name) {
  if (name.empty()) f.leave_open("cluster.use", "a cluster of `trainplan list cluster`");
  else put_field(f.scenario, "cluster.use", value_node(name, {}, "", true));
  if (const int64_t listed = included_gpus(f)) return f.put("cluster.gpus", listed, "--include");
  const char* each = flag_of_processes(f);
  const char* all = flag_of_nodes(f);
  for (const char* flag : {each, all})  // a script may leave them to its caller
    if (f.text(flag).starts_with('$')) return f.leave_open("cluster.gpus", std::string(flag) + " " + f.text(flag));
  if (!f.has(each)) return f.leave_open("cluster.gpus", "GPUs of the job");
  const int64_t nodes = f.count(all, 1), gpus = f.count(each, 1);
  const int64_t replica = ranks_of_replica(f);
  if (!f.has(all) && replica > 0 && gpus % replica != 0)
    return f.leave_open("cluster.gpus", fmt::format("GPUs of the job: a replica has {} ranks, and without --nnodes "
                                                    "there are {}",
                                                    replica, gpus));
  f.put("cluster.gpus", std::to_string(nodes) + " * " + std::to_string(gpus), each);
}

ImportedRun scenario_of(Flags& flags, const std::string& cluster_name, const dsl::Span& place, const dsl::Node* json,
                        dsl::Diagnostics& diagnostics) {
  const char* software = flags.is_deepspeed() ? "megatron-deepspeed" : "megatron-core";
  put_field(flags.scenario, "software.use", value_node(software, place, "", true));
  flags.put_fields();
  if (!flags.is_named()) megatron::model_rules(flags);
  megatron::job_rules(flags);
  megatron::layout_rules(flags);
  if (flags.is_deepspeed()) megatron::deepspeed_layout(flags, json, diagnostics);
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

/// The configuration that --deepspeed_config names, as a source of its own; null: it is not there, or not known.
const dsl::Source* deepspeed_config(const LaunchLine& launch, const RunFiles& files, dsl::Sources& sources,
                                    dsl::Diagnostics& diagnostics) {
  const auto& words = launch.command.words;
  const auto flag = std::ranges::find(words, "--deepspeed_config", &ShellWord::text);
  if (flag == words.end() || flag + 1 == words.end()) return nullptr;
  const std::string& path = (flag + 1)->text;
  const auto written = launch.files.find(path);
  if (written == launch.files.end()) {
    const dsl::Source* source = files.shell.open && !flag[1].is_open ? files.shell.open(path) : nullptr;
    if (!source)
      diagnostics.warning(flag[1].span,
                          "'" + dsl::shortened(path) + "' is not read: --zero-stage says how states are sharded",
                          "`trainplan import deepspeed FILE.json SCRIPT` reads both");
    return source;
  }
  if (!written->second.is_open) return &sources.emplace_back(dsl::Source{path, written->second.text, "."});
  diagnostics.warning(written->second.span, "'" + path + "' is not read: it has variables that the script does not set",
                      hint_of_open(written->second.text));
  return nullptr;
}

ImportedRun import_deepspeed_line(const LaunchLine& launch, const RunFiles& files, dsl::Sources& sources,
                                  dsl::Diagnostics& diagnostics) {
  const dsl::Source* config = deepspeed_config(launch, files, sources, diagnostics);
  dsl::Node json = dsl::broken_node();
  if (config) json = dsl::parse_json(*config, diagnostics);
  if (config && json.broken) return {};
  return import_megatron_deepspeed(launch.command, config ? &json : nullptr, files.cluster, diagnostics);
}

/// Of both programs: which it is, a flag says.
bool reads_flag(const std::string& flag) {
  return megatron::megatron_lm().reads(flag) || megatron::megatron_deepspeed().reads(flag);
}

ImportedRun import_yaml(const RunFiles& files, const ShellCommand* line, const dsl::Span& place,
                        dsl::Diagnostics& diagnostics) {
  megatron::YamlFlags yaml = megatron::flags_of_yaml(*files.config, diagnostics);
  if (yaml.command.words.empty()) {
    if (!diagnostics.has_errors()) diagnostics.error(place, "no arguments of Megatron-LM here");
    return {};
  }
  return import_arguments(std::move(yaml), line, files, place, diagnostics);
}

}  // namespace

ImportedRun import_arguments(megatron::YamlFlags yaml, const ShellCommand* line, const RunFiles& files,
                             const dsl::Span& place, dsl::Diagnostics& diagnostics) {
  std::vector<std::string> unread = add_launch(yaml.command, line);
  Flags flags(yaml.command, place, diagnostics);
  flags.name_keys(std::move(yaml.keys));
  if (line) flags.script = script_of(*line, diagnostics);
  if (!files.model.empty()) put_field(flags.scenario, "model.use", value_node(files.model, place, "", true));
  ImportedRun run = scenario_of(flags, files.cluster, place, nullptr, diagnostics);
  run.ignored.insert(run.ignored.end(), unread.begin(), unread.end());
  return run;
}

bool is_megatron_deepspeed(const ShellCommand& line) {
  const auto is = [&](const char* flag) {
    return std::ranges::find(line.words, flag, &ShellWord::text) != line.words.end();
  };
  return is("--deepspeed") && is("--num-layers");
}

ImportedRun import_megatron_deepspeed(const ShellCommand& line, const dsl::Node* json, const std::string& cluster,
                                      dsl::Diagnostics& diagnostics) {
  const dsl::Span place = line.words.front().span;
  Flags flags(line, place, diagnostics, megatron::megatron_deepspeed());
  flags.script = script_of(line, diagnostics);
  return scenario_of(flags, cluster, place, json, diagnostics);
}

ImportedRun import_megatron_deepspeed_keys(FlagSheet sheet, const dsl::Node* json, const RunFiles& files,
                                           dsl::Diagnostics& diagnostics) {
  const dsl::Span place{files.config, 1, 1, 1};
  Flags flags(sheet.command, place, diagnostics, megatron::megatron_deepspeed());
  flags.name_keys(std::move(sheet.keys));
  if (!files.model.empty()) put_field(flags.scenario, "model.use", value_node(files.model, place, "--model", true));
  return scenario_of(flags, files.cluster, place, json, diagnostics);
}

ImportedRun import_megatron(const RunFiles& files, dsl::Sources& sources, dsl::Diagnostics& diagnostics) {
  const dsl::Source& text = *files.config;
  const dsl::Span place{&text, 1, 1, 1};
  for (const dsl::Source* source : {files.config, files.launch})
    if (source && !dsl::is_readable(*source, diagnostics, {})) return {};
  const bool is_yaml = megatron::is_yaml(text);
  const LaunchLine launch = read_launch(is_yaml ? files.launch : files.config, files.shell, reads_flag, diagnostics);
  if (diagnostics.has_errors()) return {};
  if (is_yaml) return import_yaml(files, launch.is_found() ? &launch.command : nullptr, place, diagnostics);
  if (!launch.is_found()) {
    diagnostics.error(place, "no flags of Megatron-LM here");
    return {};
  }
  if (is_megatron_deepspeed(launch.command)) return import_deepspeed_line(launch, files, sources, diagnostics);
  const dsl::Span first = launch.command.words.front().span;
  Flags flags(launch.command, first, diagnostics);
  flags.script = script_of(launch.command, diagnostics);
  if (!stands_in_yaml(flags)) return scenario_of(flags, files.cluster, place, nullptr, diagnostics);
  return {};
}

}  // namespace planner
