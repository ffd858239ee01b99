#include "planner/import/trainer.h"

#include <fmt/format.h>

#include <algorithm>

#include "dsl/json.h"
#include "dsl/raw_text.h"
#include "planner/import/deepspeed_config.h"
#include "planner/import/field_tree.h"
#include "planner/import/launch_line.h"
#include "planner/import/launch_size.h"
#include "planner/import/run_kinds.h"
#include "planner/import/trainer_config.h"
#include "planner/scenario/scenario.h"

namespace planner {
namespace {

using megatron::Flags;
using trainer::ShardEngine;

/// The files of a run, each as its tree; null: the run has no such file.
struct TrainerFiles {
  dsl::Node launcher, program, json = dsl::broken_node();
  bool has_launcher = false, has_program = false, has_json = false;
  const dsl::Source* script = nullptr;
};

bool ends_as_config(const std::string& text) {
  return text.ends_with(".yaml") || text.ends_with(".yml") || text.ends_with(".json");
}

/// Whether a file has keys, of which no kind is known: those of a Trainer.
bool has_keys(const dsl::Source& source) {
  dsl::Diagnostics ignored;
  return ends_as_config(source.name) && parse_config(source, ignored).kind == dsl::Node::Kind::map &&
         !ignored.has_errors();
}

/// One script is the launch; another would be lost.
void take_script(TrainerFiles& out, const dsl::Source& script, dsl::Diagnostics& diagnostics) {
  if (out.script && out.script != &script)
    diagnostics.error({&script, 1, 1, 1}, fmt::format("a second launch line, next to '{}'", out.script->name),
                      "give one: '" + out.script->name + "' with the words of the other");
  out.script = &script;
}

/// Puts a file in its role. Another kind than those is a launch script.
void take(TrainerFiles& out, const dsl::Source& source, dsl::Diagnostics& diagnostics) {
  const RunKind* kind = kind_of(source);
  const std::string_view word = kind ? kind->word : "";
  if (word != "accelerate" && word != "trainer" && word != "deepspeed" && !has_keys(source))
    return take_script(out, source, diagnostics);
  dsl::Node tree = parse_config(source, diagnostics);
  if (word == "accelerate") out.launcher = std::move(tree), out.has_launcher = true;
  else if (word == "deepspeed") out.json = std::move(tree), out.has_json = true;
  else out.program = std::move(tree), out.has_program = true;
}

/// A file that a word names: one that the script writes, or one that is there.
const dsl::Source* opened(const ShellWord& word, const LaunchLine& line, const RunFiles& files, dsl::Sources& sources) {
  const auto written = line.files.find(word.text);
  if (written != line.files.end()) return &sources.emplace_back(dsl::Source{word.text, written->second.text, "."});
  return files.shell.open && !word.is_open ? files.shell.open(word.text) : nullptr;
}

/// Opens what the line names and what is not given: `--config_file X`, `--config X`, `axolotl train X`.
void take_named(TrainerFiles& out, const LaunchLine& line, const RunFiles& files, dsl::Sources& sources,
                dsl::Diagnostics& diagnostics) {
  std::string flag;
  for (const ShellWord& word : line.command.words) {
    const size_t equals = word.text.find('=');
    const bool is_flag = word.text.starts_with("--");
    if (is_flag) flag = word.text.substr(0, equals);
    const bool joined = is_flag && equals != std::string::npos;
    const ShellWord value{joined ? word.text.substr(equals + 1) : word.text, word.span, word.is_open};
    const bool is_value = (!is_flag || joined) && ends_as_config(value.text);
    if (!is_value || (flag != "--config_file" && flag != "--config" && is_flag)) continue;
    if (flag == "--deepspeed" || flag == "--deepspeed_config_file" || flag == "--fsdp_config") continue;
    if (flag == "--config_file" ? out.has_launcher : out.has_program) continue;
    const dsl::Source* source = opened(value, line, files, sources);
    const RunKind* kind = source ? kind_of(*source) : nullptr;
    const std::string_view role = kind ? kind->word : "";
    if (role == "accelerate" || role == "trainer") take(out, *source, diagnostics);
    else if (flag == "--config_file" || flag == "--config")
      diagnostics.error(word.span, "'" + dsl::shortened(value.text) + "' cannot be read",
                        "run this where the file is, or give the file as well");
  }
}

/// DeepSpeed's configuration where a file or the line names it; false (diagnosed) where it is not there.
bool take_json(TrainerFiles& out, const Flags& f, const LaunchLine& line, const RunFiles& files, dsl::Sources& sources,
               dsl::Diagnostics& diagnostics) {
  if (out.has_json) return true;
  for (const char* flag : {"--deepspeed", "--deepspeed_config_file", "--deepspeed_config"}) {
    const std::string path = f.text(flag);
    if (!path.ends_with(".json")) continue;
    const dsl::Source* source = opened(f.values(flag).front(), line, files, sources);
    if (!source) {
      diagnostics.error(f.place_of(flag),
                        "'" + dsl::shortened(path) + "' cannot be read: it says how states are sharded",
                        "`trainplan import trainer " + files.config->name + " FILE.json` reads both");
      return false;
    }
    out.json = parse_config(*source, diagnostics);
    out.has_json = true;
    return !out.json.broken;
  }
  return true;
}

/// The Trainer's settings of FSDP: a file, or its JSON in the line.
void put_fsdp_file(FlagSheet& sheet, const LaunchLine& line, const RunFiles& files, dsl::Sources& sources,
                   dsl::Diagnostics& diagnostics) {
  const auto flag = std::ranges::find(sheet.command.words, "--fsdp_config", &ShellWord::text);
  if (flag == sheet.command.words.end() || flag + 1 == sheet.command.words.end()) return;
  const ShellWord word = flag[1];
  const bool inside = word.text.starts_with('{');
  const dsl::Source* source = inside ? &sources.emplace_back(dsl::Source{"--fsdp_config.json", word.text, "."})
                                     : opened(word, line, files, sources);
  if (!source)
    return diagnostics.warning(word.span, "'" + dsl::shortened(word.text) + "' is not read: FSDP has its defaults",
                               "run this where the file is");
  trainer::put_section(sheet, parse_config(*source, diagnostics), "fsdp_", diagnostics);
}

/// Sizes and types that the Trainer decides where DeepSpeed's configuration has none.
void add_auto(dsl::Node& json, bool has_json, const dsl::Span& place) {
  json.kind = dsl::Node::Kind::map;
  if (!json.span.source) json.span = place;
  const auto put = [&](const char* key, const char* value) {
    if (!json.find(key)) put_field(json, key, value_node(value, place), place);
  };
  if (has_json) return;
  put("train_micro_batch_size_per_gpu", "auto");
  put("gradient_accumulation_steps", "auto");
}

/// Of the file of DeepSpeed, of the Trainer's switches, or of the launcher.
void precision(Settings& c, bool launched) {
  const char *word = "--mixed_precision", *narrow = "--tf32";
  const bool fixed = c.has("bf16.enabled") || c.has("fp16.enabled");
  const std::string known = c.flags.field("job.precision")->text, given = c.flags.text(word);
  if (fixed && known != "fp32" && (given == "bf16" || given == "fp16") && given != known)
    return c.flags.error(word, given + " is not the " + known + " of DeepSpeed's configuration",
                         "\"auto\" there takes that of accelerate");
  if (fixed && known != "fp32") return;
  for (const char* type : {"fp16", "bf16"}) {
    const std::string flag = std::string("--") + type;
    if (c.is_on(flag)) return c.flags.put("job.precision", type, flag);
  }
  const std::string mixed = c.flags.text(word, launched ? "no" : "");
  if (mixed == "bf16" || mixed == "fp16" || mixed == "fp8") return c.flags.put("job.precision", mixed, word);
  if (mixed.empty()) return c.flags.leave_open("job.precision", "bf16, fp16 or fp32: --mixed_precision");
  if (mixed != "no" && mixed != "false")
    return c.flags.error(word, "unknown precision '" + dsl::shortened(mixed) + "'", "known: no, fp16, bf16, fp8");
  if (c.is_on(narrow)) return c.flags.put("job.precision", "tf32", narrow);
  c.flags.put("job.precision", "fp32", word);
}

constexpr megatron::ProgramWord kKernels[] = {{"flash2", "flash_attention_2"},
                                              {"flash2", "fa2"},
                                              {"sdpa", "sdpa"},
                                              {"flash3", "flash_attention_3"},
                                              {"flash3", "fa3"},
                                              {"unfused", "eager"},
                                              {"unfused", "disabled"},
                                              {"flash2", "kernels-community/flash-attn2"}};

void attention(Flags& f) {
  const char* flag = "--attn_implementation";
  const std::string word = f.text(flag, "auto");
  if (word == "auto") return;
  if (const std::string ours = megatron::ours_of(kKernels, word); !ours.empty())
    return f.put("software.attention", ours, flag);
  f.warn(flag, "'" + dsl::shortened(word) + "' is left out: the profile's attention is planned");
}

/// The profile of the engine, or of the program; adapters beside FSDP and replicas have profiles of their own.
std::string software_of(const Settings& c, ShardEngine engine, const trainer::TrainerProgram& program) {
  const Flags& f = c.flags;
  if (engine == ShardEngine::deepspeed) return "deepspeed";
  if (engine == ShardEngine::megatron) return "megatron-core";
  if (c.is_on("--use_unsloth")) return "unsloth";
  const std::string profile = program.software;
  const bool adapts = f.field("job.lora.rank");
  if (adapts && profile == "axolotl") return profile;
  if (adapts) return f.field("job.lora.base") ? "peft-qlora" : "peft";
  return engine == ShardEngine::fsdp ? profile : "transformers-ddp";
}

void layout(Settings& c, ShardEngine engine) {
  switch (engine) {
    case ShardEngine::deepspeed:
      deepspeed::zero_rules(c);
      break;
    case ShardEngine::fsdp:
      trainer::fsdp_rules(c.flags);
      break;
    case ShardEngine::megatron:
      break;
    case ShardEngine::replicas:
      c.flags.put("parallelism.zero", 0, "--distributed_type");
  }
  const char *again = "--gradient_checkpointing", *host = "--activation_offloading";
  const std::string kind = c.flags.text(again, "false");
  if (c.is_on(again)) c.flags.put("parallelism.recompute", "full", again);
  if (kind == "offload" || c.is_on(host))
    c.flags.put("parallelism.offload.activations", 1, kind == "offload" ? again : host);
}

ImportedRun scenario_of(Settings& c, ShardEngine engine, const trainer::TrainerProgram& program, const RunFiles& files,
                        const dsl::Span& place) {
  Flags& f = c.flags;
  if (!files.model.empty()) put_field(f.scenario, "model.use", value_node(files.model, {}, "--model", true));
  if (files.cluster.empty()) f.leave_open("cluster.use", "a cluster of `trainplan list cluster`");
  else put_field(f.scenario, "cluster.use", value_node(files.cluster, {}, "", true));
  if (engine == ShardEngine::deepspeed) c.put_fields();
  if (!trainer::mesh_rules(f)) return {};
  layout(c, engine);
  deepspeed::batch_rules(c);
  deepspeed::job_rules(c);
  precision(c, c.launched);
  if (engine == ShardEngine::deepspeed) deepspeed::state_rules(c);
  attention(f);
  if (engine == ShardEngine::megatron) trainer::megatron_rules(f);
  const std::string software = software_of(c, engine, program);
  const bool first = engine == ShardEngine::fsdp && f.text("--fsdp_version", "1") == "1";
  put_field(f.scenario, "software.use", value_node(software, place, first ? "FSDP 1 is planned as FSDP 2" : "", true));
  std::vector<std::string> ignored = c.judge();
  order_fields(f.scenario, scenario_schema());
  f.scenario.span = place;
  return {std::move(f.scenario), std::move(ignored), f.complete};
}

bool is_read(const std::string& flag) { return trainer::role_of(flag) == megatron::FlagRole::rule; }

/// "--num-processes" is "--num_processes" to accelerate.
void spell(ShellCommand& line) {
  for (ShellWord& word : line.words) {
    const size_t equals = std::min(word.text.find('='), word.text.size());
    std::string flag = word.text.substr(0, equals);
    if (!flag.starts_with("--") || is_read(flag)) continue;
    std::replace(flag.begin() + 2, flag.end(), '-', '_');
    if (is_read(flag)) word.text = flag + word.text.substr(equals);
  }
}

/// accelerate's flags of DeepSpeed: "--zero_stage 3".
void take_deepspeed_flags(ShellCommand& line, dsl::Node& json) {
  for (size_t i = 0; i + 1 < line.words.size(); ++i)
    for (const char* key : {"zero_stage", "offload_optimizer_device", "offload_param_device"})
      if (line.words[i].text == "--" + std::string(key))
        put_field(json, key, value_node(line.words[i + 1].text, line.words[i + 1].span), line.words[i].span);
}

/// Where nothing says the stage, accelerate has its own default.
void add_stage(dsl::Node& json, const dsl::Span& place) {
  if (!json.find("zero_stage")) put_field(json, "zero_stage", value_node("2", place), place);
}

/// False (diagnosed): accelerate's section says what DeepSpeed's own file does; accelerate refuses both.
bool agree(const dsl::Node& section, dsl::Diagnostics& diagnostics) {
  bool agrees = true;
  for (const char* key :
       {"zero_stage", "offload_optimizer_device", "offload_param_device", "gradient_accumulation_steps"}) {
    const dsl::Node* value = section.find(key);
    if (!value || value->text == "auto" || value->text == "none") continue;
    diagnostics.error(value->span,
                      "'" + std::string(key) + "' is given beside DeepSpeed's own file: accelerate refuses both",
                      "leave it out here");
    agrees = false;
  }
  return agrees;
}

/// A configuration of DeepSpeed chooses it, where nothing else does.
ShardEngine engine_of_run(const Flags& f, const TrainerFiles& all, dsl::Diagnostics& diagnostics) {
  const ShardEngine engine = trainer::engine_of(f);
  if (!all.has_json || engine == ShardEngine::deepspeed) return engine;
  if (engine == ShardEngine::replicas && !f.has("--distributed_type")) return ShardEngine::deepspeed;
  diagnostics.warning(all.json.span, "the configuration of DeepSpeed has no effect: another engine is chosen",
                      "`distributed_type: DEEPSPEED`");
  return engine;
}

}  // namespace

ImportedRun import_trainer(const RunFiles& files, dsl::Sources& sources, dsl::Diagnostics& diagnostics) {
  TrainerFiles all;
  std::vector<const dsl::Source*> given{files.config};
  given.insert(given.end(), files.more.begin(), files.more.end());
  for (const dsl::Source* source : given)
    if (dsl::is_readable(*source, diagnostics, {})) take(all, *source, diagnostics);
  if (files.launch) take_script(all, *files.launch, diagnostics);
  const dsl::Span place{files.config, 1, 1, 1};
  const auto reads = [](const std::string& flag) {
    std::string spelt = flag;
    std::replace(spelt.begin() + 2, spelt.end(), '-', '_');
    return is_read(flag) || is_read(spelt);
  };
  LaunchLine line = read_launch(all.script, files.shell, reads, diagnostics);
  if (diagnostics.has_errors()) return {};
  take_named(all, line, files, sources, diagnostics);
  if (!line.is_found() && !all.has_launcher && !all.has_program) {
    diagnostics.error(place, "no configuration of accelerate or of a Trainer here",
                      "a YAML with distributed_type or with model_name_or_path, or a launch line");
    return {};
  }
  spell(line.command);
  FlagSheet sheet;
  dsl::Node keys;
  const bool launched = line.is_found() || all.has_program;
  const trainer::TrainerProgram& program = trainer::program_of(all.has_program ? &all.program : nullptr, line.command);
  if (launched)
    for (const trainer::FlagDefault& row : program.defaults)
      sheet.put_default(row.flag, row.value, program.title, place);
  if (all.has_launcher) trainer::put_accelerate(sheet, keys, all.launcher, diagnostics);
  if (all.has_program) trainer::put_trainer(sheet, keys, all.program, diagnostics);
  take_deepspeed_flags(line.command, keys);
  sheet.put_line(line.command);
  put_fsdp_file(sheet, line, files, sources, diagnostics);
  Flags flags(sheet.command, place, diagnostics, trainer::launcher());
  flags.name_keys(sheet.keys);
  if (diagnostics.has_errors() || !take_json(all, flags, line, files, sources, diagnostics)) return {};
  if (all.has_json && !agree(keys, diagnostics)) return {};
  const ShardEngine engine = engine_of_run(flags, all, diagnostics);
  if (engine == ShardEngine::deepspeed && !all.has_json && !keys.find("zero_optimization")) add_stage(keys, place);
  dsl::Node& tree = all.has_json && engine == ShardEngine::deepspeed ? all.json : keys;
  add_auto(tree, &tree == &all.json, place);
  Settings config(tree, trainer::key_table(), flags, launched, diagnostics);
  ImportedRun run = scenario_of(config, engine, program, files, place);
  for (std::string& flag : run.ignored)
    if (const auto key = sheet.keys.find(flag); key != sheet.keys.end()) flag = key->second;
  return run;
}

}  // namespace planner
