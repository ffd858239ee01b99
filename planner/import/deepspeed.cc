#include "planner/import/deepspeed.h"

#include <optional>

#include "dsl/json.h"
#include "planner/import/deepspeed_config.h"
#include "planner/import/field_tree.h"
#include "planner/import/launch_line.h"
#include "planner/import/megatron.h"
#include "planner/scenario/scenario.h"

namespace planner {
namespace {

/// Bytes of a text, from `begin` up to `end`.
struct TextPart {
  size_t begin = 0, end = 0;
};

/// The text that a script passes on ("<<'EOF'", lines, "EOF") if it begins as JSON does.
std::optional<TextPart> json_of_script(const std::string& text) {
  for (size_t at = text.find("<<"); at != std::string::npos; at = text.find("<<", at + 2)) {
    const size_t line_end = text.find('\n', at);
    if (line_end == std::string::npos) return std::nullopt;
    const size_t from = text.find_first_not_of("<-'\" \t", at);
    const std::string word = text.substr(from, text.find_first_of("'\" \t\n;|&", from) - from);
    const size_t first = text.find_first_not_of(" \t\r\n", line_end);
    if (word.empty() || first == std::string::npos || text[first] != '{') continue;
    const size_t end = (text + "\n").find("\n" + word + "\n", line_end);
    if (end != std::string::npos) return TextPart{line_end + 1, end + 1};
  }
  return std::nullopt;
}

/// The same text with blanks in place of a part, or of all but the part: places are unchanged.
dsl::Source blanked(const dsl::Source& source, const TextPart& part, bool inside) {
  dsl::Source out = source;
  for (size_t i = 0; i < out.text.size(); ++i)
    if ((i >= part.begin && i < part.end) == inside && out.text[i] != '\n') out.text[i] = ' ';
  return out;
}

bool is_json(const dsl::Source& source) {
  const size_t first = source.text.find_first_not_of(" \t\r\n");
  return first != std::string::npos && source.text[first] == '{';
}

/// The JSON and the launch line of a script, each as a text of its own.
void split(RunFiles& files, dsl::Sources& sources) {
  if (is_json(*files.config)) return;
  const auto part = json_of_script(files.config->text);
  if (!part) return;
  const dsl::Source& whole = *files.config;
  if (!files.launch) files.launch = &sources.emplace_back(blanked(whole, {part->begin, part->end}, true));
  files.config = &sources.emplace_back(blanked(whole, *part, false));
}

}  // namespace

ImportedRun import_deepspeed(const RunFiles& given, dsl::Sources& sources, dsl::Diagnostics& diagnostics) {
  RunFiles files = given;
  split(files, sources);
  if (files.launch && !dsl::is_readable(*files.launch, diagnostics, {})) return {};
  const dsl::Node json = dsl::parse_json(*files.config, diagnostics);
  if (json.broken) return {};
  if (json.kind != dsl::Node::Kind::map) {
    diagnostics.error(json.span, "expected the JSON of DeepSpeed: a map of its keys");
    return {};
  }
  const KeyTable& table = deepspeed::key_table();
  const auto reads = [&table](const std::string& flag) {
    return reads_flag_of(table)(flag) || megatron::megatron_deepspeed().reads(flag);
  };
  const LaunchLine launch = read_launch(files.launch, files.shell, reads, diagnostics);
  if (diagnostics.has_errors()) return {};
  if (is_megatron_deepspeed(launch.command))
    return import_megatron_deepspeed(launch.command, &json, files.cluster, diagnostics);
  megatron::Flags flags(launch.command, json.span, diagnostics);
  deepspeed::Config config(json, table, flags, launch.is_found(), diagnostics);
  put_field(flags.scenario, "software.use", value_node("deepspeed", json.span, "", true));
  if (!files.model.empty()) put_field(flags.scenario, "model.use", value_node(files.model, {}, "--model", true));
  if (files.cluster.empty()) flags.leave_open("cluster.use", "a cluster of `trainplan list cluster`");
  else put_field(flags.scenario, "cluster.use", value_node(files.cluster, {}, "", true));
  config.put_fields();
  deepspeed::layout_rules(config);
  deepspeed::batch_rules(config);
  deepspeed::job_rules(config);
  deepspeed::state_rules(config);
  std::vector<std::string> ignored = config.judge();
  order_fields(flags.scenario, scenario_schema());
  flags.scenario.span = json.span;
  return {std::move(flags.scenario), std::move(ignored), flags.complete};
}

}  // namespace planner
