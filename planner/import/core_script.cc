// Python scripts of NeMo 2 and Megatron-Bridge: the settings are arguments of the classes of Megatron-Core, wherever
// the script calls them.
#include <algorithm>

#include "dsl/raw_text.h"
#include "planner/import/core_arguments.h"
#include "planner/import/core_classes.h"
#include "planner/import/core_config.h"
#include "planner/import/field_tree.h"
#include "planner/import/hub_names.h"
#include "planner/import/launch_line.h"
#include "planner/import/megatron_table.h"
#include "planner/python/python_tree.h"
#include "planner/scenario/scenario.h"

namespace planner {
namespace {

using megatron::CoreArguments;

constexpr megatron::CoreKey kKeys[] = {
    {"devices", "nproc_per_node"},
    {"num_nodes", "nnodes"},
    {"trainer.max_steps", "train_iters"},
    {"sequence_length", "seq_length"},
    {"model.vocab_size", "padded_vocab_size"},
    {"config.vocab_size", "padded_vocab_size"},
    {"bucket_size", "ddp_bucket_size"},
    {"microbatch_group_size_per_vp_stage", "microbatch_group_size_per_virtual_pipeline_stage"},
    {"mixed_precision", "precision"}};

/// Keys of these programs alone that no plan depends on.
constexpr const char* kIdle[] = {
    // checks, files and names
    "check_for_nan_in_grad", "ckpt_*", "restore_*", "save_ckpt_format", "progress_interval", "revision", "hf_model_*",
    "barrier_with_L1_time", "version", "manual_gc_eval", "parallel_output", "fp16_lm_cross_entropy", "should_pad_vocab",
    // how Megatron-Core does what others say
    "average_in_collective", "gradient_as_bucket_view", "use_te_rng_tracker", "te_rng_tracker", "batch_p2p_comm",
    "reuse_grad_buf_for_mxfp8_param_ag", "cross_entropy_fusion_impl", "tp_comm_overlap_cfg",
    "defer_embedding_wgrad_compute", "wgrad_deferral_limit", "overlap_param_gather_with_optimizer_step",
    "scatter_embedding_sequence_parallel", "enable_megatron_core_experimental",
    "use_transformer_engine_full_layer_spec",
    // types beside those of the job
    "loss_scale", "initial_loss_scale", "fp8_param", "autocast_*", "first_last_layers_bf16", "num_layers_at_*", "fp32",
    "pipeline_dtype", "params_dtype", "keep_mtp_spec_in_bf16", "mtp_eval_in_bf16",
    // rates, positions
    "lr", "min_lr", "adam_*", "weight_decay", "clip_grad", "yarn_*", "rotary_base_per_layer", "vocab_size"};

constexpr megatron::CoreProgram kNemo2{"NeMo 2", "nemo2", "nemo", kKeys, kIdle};
constexpr megatron::CoreProgram kBridge{"Megatron-Bridge", "megatron-bridge", "megatron-bridge", kKeys, kIdle};

/// Calls and keys whose arguments are of data, logs and rates.
constexpr std::string_view kSkipped[] = {
    "log",       "logger",     "resume",   "checkpoint", "scheduler", "lr_scheduler",        "tokenizer",
    "profiling", "validation", "executor", "env_vars",   "rng",       "rerun_state_machine", "straggler"};
/// Callees, by an ending, whose keys all are Megatron-Core's: an unknown one is a warning.
constexpr std::string_view kStrict[] = {"MegatronStrategy", "DistributedDataParallelConfig", "TransformerConfig",
                                        "GPTConfig"};

/// Sections of a ConfigContainer, likewise.
constexpr std::string_view kCoreSections[] = {"model", "ddp", "optimizer", "mixed_precision", "comm_overlap", "dist"};

/// "llm.Llama3Config70B" of a call, of `run.Config(llm.Llama3Config70B)` too; "": no call.
std::string callee_of(const dsl::Node& node) {
  const dsl::Node* callee = node.find("()");
  if (!callee) return "";
  const dsl::Node* first = node.find("[0]");
  const bool wraps = callee->text.ends_with("Config") && callee->text.starts_with("run.");
  return first && (wraps || callee->text == "run.Partial" || callee->text == "Partial") ? first->text : callee->text;
}

std::string class_of(const std::string& callee) { return callee.substr(callee.rfind('.') + 1); }

/// The name of a model by its family and size, as these programs write them: "Llama31" and "405B", "qwen3" and "600m".
std::string model_name(std::string family, std::string size) {
  const size_t digit = family.find_first_of("0123456789");
  if (digit != std::string::npos && family.size() == digit + 2) family.insert(digit + 1, ".");
  for (size_t i = 1; i + 1 < size.size(); ++i)
    if ((size[i] == 'P' || size[i] == 'p') && dsl::is_digit(size[i - 1]) && dsl::is_digit(size[i + 1])) size[i] = '.';
  const bool is_small = size.size() == 4 && (size.ends_with("00M") || size.ends_with("00m"));
  return family + "-" + (is_small ? "0." + size.substr(0, 1) + "B" : size);
}

/// Of a configuration class of NeMo 2, "Llama31Config405B" or "Qwen3Config30B_A3B", or of a version, "qwen25_7b"; "":
/// another.
std::string model_of(const std::string& name, bool is_version) {
  constexpr megatron::ProgramWord kOthers[] = {{"gpt3-175b", "GPTConfig175B"},
                                               {"deepseek-v2", "DeepSeekV2Config"},
                                               {"deepseek-v2-lite", "DeepSeekV2LiteConfig"},
                                               {"deepseek-v3", "DeepSeekV3Config"}};
  if (const std::string model = megatron::ours_of(kOthers, name); !model.empty()) return model;
  const std::string_view between = is_version ? "_" : "Config";
  const size_t at = name.find(between), size = at + between.size();
  if (at == std::string::npos || size >= name.size()) return is_version ? name : "";
  return is_version || dsl::is_digit(name[size]) ? model_name(name.substr(0, at), name.substr(size)) : "";
}

/// "llama3_70b_pretrain_config", "_sft_common": a function that says the defaults of a run.
bool is_recipe(const std::string& function) {
  constexpr std::string_view kTasks[] = {"pretrain", "finetune", "sft", "peft", "recipe"};
  const bool is_name = function.find('_') != std::string::npos && !function.ends_with("_pretrained");
  return is_name &&
         std::ranges::any_of(kTasks, [&](std::string_view task) { return function.find(task) != std::string::npos; });
}

/// "llama3_70b.py" of "llm.llama3_70b.pretrain_recipe".
std::string file_of(const std::string& function) {
  const size_t end = function.rfind('.');
  const std::string module = end == std::string::npos ? "" : class_of(function.substr(0, end));
  return (module.empty() ? "RECIPE" : module) + ".py";
}

bool is_function(const std::string& name) { return !name.empty() && name[0] >= 'a' && name[0] <= 'z'; }

class ScriptReader {
 public:
  explicit ScriptReader(CoreArguments& arguments) : arguments_(arguments) {}

  /// Adds what the calls below a node say. `path`: how messages name it.
  void read(const dsl::Node& node, const std::string& path) {
    for (const dsl::Node& item : node.items) read(item, path);
    const std::string callee = class_of(callee_of(node));
    if (node.find("()")) read_call(node, callee, path);
    const bool strict = std::ranges::any_of(kStrict, [&](std::string_view end) { return callee.ends_with(end); }) ||
                        std::ranges::find(kCoreSections, class_of(path)) != std::end(kCoreSections);
    for (const dsl::Entry& e : node.entries) {
      if (std::ranges::find(kSkipped, e.key) != std::end(kSkipped)) continue;
      const bool is_unnamed = e.key.empty() || e.key == "." || e.key.starts_with('[');
      const std::string here = is_unnamed ? path : path.empty() ? e.key : path + "." + e.key;
      const bool nested =
          e.value.kind == dsl::Node::Kind::map || (e.value.kind == dsl::Node::Kind::list && !e.value.items.empty() &&
                                                   e.value.items[0].kind == dsl::Node::Kind::map);
      if (path.empty() && is_table(e.value)) continue;
      if (e.key == "peft") read_adapters(e.value);
      const std::string made = class_of(callee_of(e.value));
      if ((e.key == "trainer" && is_function(made)) || (e.key == "model" && made == "model"))
        unresolved = e.value.find("()");
      if (nested) read(e.value, here);
      else if (!is_unnamed && e.key != "()" && e.key != "=" && !path.empty()) arguments_.add(here, e, strict);
    }
  }

  std::string model;                    // of the catalogue, or "hf:FOLDER"
  const dsl::Node* adapters = nullptr;  // the call of LoRA
  const dsl::Node* unknown_adapters = nullptr;
  const dsl::Node* unresolved = nullptr;  // a recipe that is not here
  const dsl::Node* unnamed = nullptr;     // a model that the catalogue lacks
  const dsl::Node* foreign = nullptr;     // a class of a shape, whose defaults are not known

 private:
  /// A name of the script that holds a plain table: what it says counts where a call takes it.
  static bool is_table(const dsl::Node& node) {
    return node.kind == dsl::Node::Kind::map && !node.find("()") && !node.find("=");
  }

  void read_call(const dsl::Node& node, const std::string& name, const std::string& path) {
    const dsl::Node& callee = *node.find("()");
    const dsl::Node* version = name.ends_with("_model") ? node.find("version") : nullptr;
    const std::string named = version ? model_of(version->text, true) : model_of(name, false);
    const dsl::Node* wrapped = callee.text == callee_of(node) ? &callee : node.find("[0]");
    if (!named.empty()) model = model_named(named), unnamed = !model.empty() ? nullptr : version ? version : wrapped;
    if (named.empty()) read_shape(node, name, *wrapped, path);
    const dsl::Node* first = node.find("[0]");
    if (!first) first = node.find("hf_path");
    if (callee.text.find("from_hf_pretrained") != std::string::npos && first) model = hub_model(*first);
    if (name.find("CommOverlap") != std::string::npos) overlaps(callee.span, path);
    if (name.find("_mixed") != std::string::npos || name == "get_mixed_precision_config")
      arguments_.imply("precision", first && name.starts_with("get_") ? first->text : name, callee.span, path);
    if (name.find("distributed_fused_adam") != std::string::npos)
      arguments_.imply("use_distributed_optimizer", "true", callee.span, path);
    if (is_recipe(name)) unresolved = &callee;
  }

  /// A class without a size: its defaults, which the call's own arguments go over.
  void read_shape(const dsl::Node& node, const std::string& name, const dsl::Node& callee, const std::string& path) {
    const bool has_sizes = name.ends_with("Config") && (node.find("num_layers") || node.find("hidden_size"));
    const megatron::ShapeClass kind = megatron::shape_class(name);
    if (kind == megatron::ShapeClass::foreign || (kind == megatron::ShapeClass::none && has_sizes)) foreign = &callee;
    else if (kind == megatron::ShapeClass::none && name.ends_with("Config") && path.ends_with("model.config"))
      unnamed = &callee;
    if (kind != megatron::ShapeClass::known) return;
    for (const auto& [argument, value] : megatron::class_defaults(name))
      arguments_.imply(argument, value, callee.span, path.empty() ? name : path);
  }

  /// A class, or a table of classes by name: `PEFT_STR2CLS['lora']`.
  void read_adapters(const dsl::Node& node) {
    const std::string callee = node.kind == dsl::Node::Kind::map ? callee_of(node) : node.text;
    if (node.kind == dsl::Node::Kind::null || callee == "none") return;
    const bool is_lora = callee.find("LoRA") != std::string::npos || callee.find("DoRA") != std::string::npos ||
                         callee.find("lora") != std::string::npos || callee.starts_with("PEFT_STR2CLS[");
    if (is_lora) adapters = &node;
    else unknown_adapters = &node;
  }

  std::string hub_model(const dsl::Node& source) {
    const std::string& name = source.text;
    if (name.starts_with('.') || name.starts_with('/')) return "hf:" + name;
    const std::string known = model_named(name);
    unnamed = known.empty() ? &source : nullptr;
    return known;
  }

  /// Where it is there, it overlaps the distributed optimizer's messages by itself
  /// (megatron/bridge/training/comm_overlap.py; nemo/lightning/pytorch/callbacks/megatron_comm_overlap.py).
  void overlaps(const dsl::Span& place, const std::string& path) {
    for (const char* argument : {"overlap_grad_reduce", "overlap_param_gather"})
      arguments_.imply(argument, "true", place, path);
  }

  CoreArguments& arguments_;
};

/// "# torchrun --nproc-per-node 8 --nnodes 4 FILE" at the top of a script: what starts it.
const dsl::Source* launch_comment(const dsl::Source& script, dsl::Sources& sources) {
  constexpr std::string_view kStart = "# torchrun ";
  const std::string& text = script.text;
  for (size_t at = 0; at < text.size() && (text[at] == '#' || text[at] == '\n');) {
    const size_t end = std::min(text.find('\n', at), text.size());
    if (text.compare(at, kStart.size(), kStart) == 0)
      return &sources.emplace_back(
          dsl::Source{script.name,
                      std::string(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at)) + " " +
                          text.substr(at + 1, end - at - 1) + "\n",
                      script.directory});
    at = end + 1;
  }
  return nullptr;
}

/// Words "a.b=c" behind a script's name, as its command line has them.
void add_overrides(CoreArguments& arguments, const ShellCommand& line, dsl::Diagnostics& diagnostics) {
  bool begun = false;
  for (const ShellWord& word : line.words) {
    begun = begun || word.text.starts_with("--recipe");
    const size_t equals = word.text.find('='), dot = word.text.find('.');
    if (word.text.starts_with('-') || equals == std::string::npos || word.text.find('/') < equals) continue;
    const std::string path = word.text.substr(0, equals);
    if (dot > equals && path != "mixed_precision" && !path.empty() && begun)
      diagnostics.error(word.span,
                        "'" + dsl::shortened(word.text) + "' is an argument of the recipe, which is not passed on",
                        "set it in the script, or name the setting: `trainer.num_nodes=8`");
    if (dot > equals && path != "mixed_precision") continue;
    arguments.add(path, {path, word.span, megatron::override_value(word)}, true);
  }
}

std::string recipe_of(const ShellCommand& line) {
  constexpr std::string_view kFlag = "--recipe=";
  for (const ShellWord& word : line.words)
    if (word.text.starts_with(kFlag)) return word.text.substr(kFlag.size());
  const auto flag = std::ranges::find(line.words, "--recipe", &ShellWord::text);
  return flag == line.words.end() || flag + 1 == line.words.end() ? "" : (flag + 1)->text;
}

/// Whether a value is one, not a call or a name.
bool is_said(const dsl::Node& value) {
  return value.kind == dsl::Node::Kind::list || value.quoted ||
         (value.kind == dsl::Node::Kind::scalar && std::ranges::all_of(value.text, dsl::is_digit));
}

/// Reports what a script has that is not planned, or lacks. `model`: of the catalogue; "": not said.
void judge_script(const megatron::CoreProgram& program, const ScriptReader& reader, const CoreArguments& arguments,
                  const dsl::Source& script, const std::string& model, dsl::Diagnostics& diagnostics) {
  const auto refuse = [&](const dsl::Node* said, const char* message, const std::string& hint) {
    if (said) diagnostics.error(said->span, "'" + dsl::shortened(said->text) + "' " + message, hint);
    return said != nullptr;
  };
  constexpr const char* kModel =
      "`--model NAME` with one of `trainplan list model`, or `--model hf:FOLDER` with its config.json";
  if (const dsl::Node* adapters = reader.unknown_adapters)
    diagnostics.error(adapters->span, "adapters of '" + dsl::shortened(callee_of(*adapters)) + "' are not planned",
                      "LoRA and DoRA are");
  for (const char* part : {"dim", "target_modules"})
    if (const dsl::Node* value = reader.adapters ? reader.adapters->find(part) : nullptr; value && !is_said(*value))
      diagnostics.error(value->span, "what this is, is not worked out, and the adapters depend on it",
                        "put a value in its place");
  const std::string again = "`trainplan import " + std::string(program.command) + " " + script.name + " ";
  const bool is_refused =
      refuse(reader.unresolved, "is not here: it says the defaults of the run",
             reader.unresolved ? again + file_of(reader.unresolved->text) + "` with the file of the recipe" : "") ||
      (model.empty() && refuse(reader.foreign, "has defaults of its own, which are not read", kModel)) ||
      (model.empty() && !arguments.find("num_layers") &&
       refuse(reader.unnamed, "is no model of the catalogue", kModel));
  if (!is_refused && arguments.empty())
    diagnostics.error({&script, 1, 1, 1}, "no settings of " + std::string(program.title) + " here",
                      "`--recipe NAME` behind the file picks a function of it");
}

ImportedRun import_script(const megatron::CoreProgram& program, const RunFiles& files, dsl::Sources& sources,
                          dsl::Diagnostics& diagnostics) {
  const auto reads = [](const std::string& flag) { return flag == "--recipe" || megatron::megatron_lm().reads(flag); };
  const dsl::Source* script = files.launch ? files.launch : launch_comment(*files.config, sources);
  const LaunchLine line = read_launch(script, files.shell, reads, diagnostics);
  const std::string recipe = recipe_of(line.command);
  const dsl::Node tree = recipe.empty() ? parse_python(*files.config, files.more, diagnostics)
                                        : call_python(*files.config, recipe, files.more, diagnostics);
  if (diagnostics.has_errors()) return {};
  CoreArguments arguments(program, diagnostics);
  ScriptReader reader(arguments);
  reader.read(tree, recipe.empty() ? "" : "cfg");
  add_overrides(arguments, line.command, diagnostics);
  RunFiles inside = files;
  if (inside.model.empty()) inside.model = reader.model;
  judge_script(program, reader, arguments, *files.config, inside.model, diagnostics);
  if (diagnostics.has_errors()) return {};
  ImportedRun run = arguments.run(line.is_found() ? &line.command : nullptr, inside, {files.config, 1, 1, 1});
  if (!reader.adapters || diagnostics.has_errors()) return run;
  const dsl::Node* rank = reader.adapters->find("dim");
  const dsl::Node usual = value_node("32", reader.adapters->span);  // peft/lora.py of both
  megatron::put_adapters(run.scenario, rank ? *rank : usual, reader.adapters->find("target_modules"), "LoRA");
  order_fields(run.scenario, scenario_schema());
  return run;
}

}  // namespace

ImportedRun import_nemo2(const RunFiles& files, dsl::Sources& sources, dsl::Diagnostics& diagnostics) {
  return import_script(kNemo2, files, sources, diagnostics);
}

ImportedRun import_megatron_bridge(const RunFiles& files, dsl::Sources& sources, dsl::Diagnostics& diagnostics) {
  return import_script(kBridge, files, sources, diagnostics);
}

}  // namespace planner
