#include "planner/import/torchtitan.h"

#include <algorithm>

#include "dsl/toml.h"
#include "planner/import/field_tree.h"
#include "planner/import/launch_line.h"
#include "planner/import/torchtitan_config.h"
#include "planner/import/torchtitan_newest.h"
#include "planner/import/torchtitan_table.h"
#include "planner/scenario/scenario.h"
#include "planner/shell/read_shell.h"

namespace planner {
namespace {

bool is_flag(const ShellWord& word) { return word.text.size() > 2 && word.text.starts_with("--"); }

/// "--training.seq-len" names what "--training.seq_len" does, and "--training.no_compile" says false of `compile`
/// (tyro).
std::string key_of(std::string name, bool& denied) {
  std::ranges::replace(name, '-', '_');
  const size_t last = name.rfind('.') + 1;
  denied = name.compare(last, 3, "no_") == 0;
  return denied ? name.substr(0, last) + name.substr(last + 3) : name;
}

dsl::Node value_of(const std::vector<ShellWord>& words, const dsl::Span& flag, bool denied) {
  if (words.empty()) return value_node(denied ? "false" : "true", flag);
  std::string text;
  for (const ShellWord& word : words) text += (text.empty() ? "" : ",") + word.text;
  if (text == "True" || text == "False") text = text == "True" ? "true" : "false";
  return value_node(text, words[0].span, "", text != "true" && text != "false");
}

/// "full" of "activation-checkpoint:full", by which tyro chooses a class; "": another word.
std::string recompute_choice(const ShellWord& word) {
  for (const std::string_view section : {"activation-checkpoint:", "activation_checkpoint:"})
    if (word.text.starts_with(section)) return word.text.substr(section.size());
  return "";
}

void put_recompute(dsl::Node& tree, std::string choice, const dsl::Span& place) {
  std::ranges::replace(choice, '-', '_');
  drop_field(tree, "activation_checkpoint");
  if (choice != "none") return put_field(tree, "activation_checkpoint.()", value_node(choice, place), place);
  dsl::Node off = value_node("", place);
  off.kind = dsl::Node::Kind::null;
  put_field(tree, "activation_checkpoint", std::move(off), place);
}

/// Puts each "--section.key VALUE" over the value of the file, and takes it out of the command.
void take_overrides(ShellCommand& command, dsl::Node& tree) {
  std::vector<ShellWord> rest;
  for (size_t i = 0; i < command.words.size(); ++i) {
    const ShellWord& word = command.words[i];
    const size_t equals = word.text.find('=');
    const std::string name = word.text.substr(0, equals);
    if (const std::string choice = recompute_choice(word); !choice.empty()) {
      put_recompute(tree, choice, word.span);
      continue;
    }
    if (!is_flag(word) || name.find('.') == std::string::npos) {
      rest.push_back(word);
      continue;
    }
    std::vector<ShellWord> values;
    if (equals != std::string::npos) values.push_back({word.text.substr(equals + 1), word.span});
    else
      while (i + 1 < command.words.size() && !is_flag(command.words[i + 1]) &&
             recompute_choice(command.words[i + 1]).empty())
        values.push_back(command.words[++i]);
    bool denied = false;
    const std::string key = key_of(name.substr(2), denied);
    put_field(tree, key, value_of(values, word.span, denied), word.span);
  }
  command.words = std::move(rest);
}

/// torchtitan's run_train.sh starts torchrun with --nproc_per_node=$NGPU.
void add_processes(ShellCommand& command, const std::map<std::string, ShellWord>& variables) {
  const auto ngpu = variables.find("NGPU");
  const bool told =
      std::ranges::any_of(command.words, [](const ShellWord& word) { return word.text.starts_with("--nproc"); });
  if (ngpu == variables.end() || told) return;
  command.words.push_back({"--nproc_per_node", ngpu->second.span});
  command.words.push_back(ngpu->second);
}

LaunchLine launch_line(const dsl::Source* script, const RunFiles& files, dsl::Diagnostics& diagnostics) {
  if (!script) return {};
  const ShellText shell = read_shell(*script, diagnostics, files.shell);
  const auto reads = [](const std::string& flag) {
    return flag.find('.') != std::string::npos || reads_flag_of(torchtitan::key_table())(flag);
  };
  LaunchLine line = launch_of(shell, reads, diagnostics);
  if (line.command.words.empty() && !shell.usual.commands.empty()) line.command = shell.usual.commands.back();
  line.variables = shell.usual.variables;
  add_processes(line.command, line.variables);
  return line;
}

/// The scenario of keys with the overrides over them.
ImportedRun import_keys(const dsl::Node& keys, const KeyTable& table, const LaunchLine& line, const RunFiles& files,
                        dsl::Diagnostics& diagnostics) {
  megatron::Flags flags(line.command, keys.span, diagnostics);
  Settings config(keys, table, flags, line.is_found(), diagnostics);
  if (!files.model.empty()) put_field(flags.scenario, "model.use", value_node(files.model, {}, "--model", true));
  if (files.cluster.empty()) flags.leave_open("cluster.use", "a cluster of `trainplan list cluster`");
  else put_field(flags.scenario, "cluster.use", value_node(files.cluster, {}, "", true));
  config.put_fields();
  torchtitan::TitanDegrees degrees = torchtitan::layout_rules(config);
  degrees.always_mixes = &table == &torchtitan::newest_table();
  torchtitan::pipeline_rules(config, degrees);
  torchtitan::batch_rules(config, degrees);
  torchtitan::job_rules(config, degrees);
  torchtitan::software_rules(config, degrees);
  std::vector<std::string> ignored = config.judge();
  order_fields(flags.scenario, scenario_schema());
  flags.scenario.span = keys.span;
  return {std::move(flags.scenario), std::move(ignored), flags.complete};
}

ImportedRun import_newest(const RunFiles& files, dsl::Sources& sources, dsl::Diagnostics& diagnostics) {
  const bool is_line = !torchtitan::is_python(*files.config);
  const dsl::Source* script = is_line ? files.config : files.launch;
  if (script && !dsl::is_readable(*script, diagnostics, {})) return {};
  LaunchLine line = launch_line(script, files, diagnostics);
  const torchtitan::RegistryChoice choice = torchtitan::choice_of(line);
  dsl::Node keys = torchtitan::read_registry(choice, line, files, sources, diagnostics);
  if (keys.broken) return {};
  take_overrides(line.command, keys);
  torchtitan::translate_newest(keys, choice, diagnostics);
  if (diagnostics.has_errors()) return {};
  return import_keys(keys, torchtitan::newest_table(), line, files, diagnostics);
}

}  // namespace

bool reads_as_registry(const dsl::Source& source) {
  return torchtitan::is_python(source) || torchtitan::names_registry(source);
}

ImportedRun import_torchtitan(const RunFiles& files, dsl::Sources& sources, dsl::Diagnostics& diagnostics) {
  if (reads_as_registry(*files.config)) return import_newest(files, sources, diagnostics);
  dsl::Node toml = dsl::parse_toml(*files.config, diagnostics);
  return toml.broken ? ImportedRun() : import_torchtitan_keys(std::move(toml), files, diagnostics);
}

ImportedRun import_torchtitan_keys(dsl::Node toml, const RunFiles& files, dsl::Diagnostics& diagnostics) {
  if (files.launch && !dsl::is_readable(*files.launch, diagnostics, {})) return {};
  LaunchLine line = launch_line(files.launch, files, diagnostics);
  take_overrides(line.command, toml);
  return import_keys(toml, torchtitan::key_table(), line, files, diagnostics);
}

}  // namespace planner
