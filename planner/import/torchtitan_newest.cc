// What Python says of a run, in the words of the table.
#include "planner/import/torchtitan_newest.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "dsl/node_path.h"
#include "dsl/raw_text.h"
#include "planner/import/field_tree.h"
#include "planner/import/torchtitan_flavors.h"
#include "planner/import/torchtitan_table.h"

namespace planner::torchtitan {
namespace {

constexpr const char *kContext = "training.max_context_length",
                     *kTokens = "training.num_tokens_per_microbatch_per_dp_rank",
                     *kStepTokens = "training.num_tokens_per_train_step", *kPieces = "parallelism.num_pp_microbatches";

/// What a class of torchtitan is called in the table. A converter without a word keeps its own name.
struct ClassWord {
  std::string_view name;
  const char* word;
};
constexpr std::array kConverters = {ClassWord{"Float8LinearConverter", "float8"},
                                    ClassWord{"MXFP8LinearConverter", "mx"},
                                    ClassWord{"NVFP4LinearConverter", "nvfp4"}};
constexpr std::array kRecomputes = {ClassWord{"FullAC", "full"}, ClassWord{"SelectiveAC", "selective"},
                                    ClassWord{"MemoryBudgetAC", "memory_budget"}};

const dsl::Node* called(const dsl::Node& node) { return node.kind == dsl::Node::Kind::map ? node.find("()") : nullptr; }

/// "FullAC" of "activation_checkpoint.FullAC.Config".
std::string class_of(const dsl::Node& node) {
  const dsl::Node* name = called(node);
  if (!name) return dsl::shortened(node.text);
  std::string_view text = name->text;
  if (text.ends_with(".Config")) text.remove_suffix(7);
  return std::string(text.substr(text.rfind('.') + 1));
}

template <size_t N> const char* word_of(const std::array<ClassWord, N>& words, std::string_view name) {
  const auto* row = std::ranges::find(words, name, &ClassWord::name);
  return row == words.end() ? nullptr : row->word;
}

class NewestTranslation {
 public:
  NewestTranslation(dsl::Node& config, const RegistryChoice& choice, dsl::Diagnostics& diagnostics)
      : config_(config), choice_(choice), diagnostics_(diagnostics) {}

  void run() {
    recompute();
    optimizer();
    model();
    strip(config_, "", 0);
    if (!diagnostics_.has_errors()) batches();
  }

 private:
  dsl::Node* section(const char* name) {
    const auto found = std::ranges::find(config_.entries, name, &dsl::Entry::key);
    return found == config_.entries.end() ? nullptr : &found->value;
  }
  void put(const std::string& path, const std::string& text, const dsl::Span& span, bool quoted = false) {
    put_field(config_, path, value_node(text, span, "", quoted), span);
  }

  void recompute() {
    dsl::Node* policy = section("activation_checkpoint");
    const dsl::Span span = policy ? policy->span : config_.span;
    const bool is_off = policy && policy->kind == dsl::Node::Kind::null;
    if (is_off) *policy = dsl::Node(dsl::Node::Kind::map, span);
    if (policy && !is_off && !called(*policy)) return;  // `--activation_checkpoint.mode`
    const std::string name = policy && !is_off ? class_of(*policy) : "SelectiveAC";
    const char* word = is_off ? "none" : word_of(kRecomputes, name);
    for (const ClassWord& row : kRecomputes)
      if (name == row.word) word = row.word;  // that the command line chose
    if (!word) return diagnostics_.error(span, "unknown class '" + name + "'", "known: FullAC, SelectiveAC, None");
    put("activation_checkpoint.mode", word, span, true);
    if (std::string_view(word) == "selective") put("activation_checkpoint.selective_ac_option", "op", span, true);
  }

  void optimizer() {
    dsl::Node* given = section("optimizer");
    if (given && class_of(*given) == "default_adamw") {
      std::erase_if(given->entries, [](const dsl::Entry& e) { return e.key == "()"; });
      put("optimizer.name", "AdamW", given->span, true);
    }
  }

  /// `model_registry("8B", converters=[...])`: a call with the flavor first.
  void model() {
    dsl::Node* given = section("model_spec");
    if (!given || given->kind != dsl::Node::Kind::map) return;
    dsl::Node spec = std::move(*given);
    *given = dsl::Node(dsl::Node::Kind::map, spec.span);
    put("model_spec.name", module_name(spec), spec.span, true);
    for (dsl::Entry& e : spec.entries) {
      if (e.key == "()" || e.key == ".") continue;
      if (e.key == "[0]") e.key = "flavor";
      if (e.key == "converters") converters(e.value);
      put_field(config_, "model_spec." + e.key, std::move(e.value), e.key_span);
    }
  }

  /// "llama3" of `llama3.model_registry`, of the file's `from torchtitan.models.llama3 import`, of the launch line, of
  /// the folder of config_registry.py, or of `llama3_8b`.
  std::string module_name(const dsl::Node& spec) const {
    constexpr std::string_view kRegistry = ".model_registry", kFrom = "from torchtitan.models.",
                               kFile = ".config_registry";
    const dsl::Node* callee = called(spec);
    std::string name = callee && callee->text.ends_with(kRegistry) ? callee->text : "";
    if (!name.empty()) name.resize(name.size() - kRegistry.size());
    const std::string& text = spec.span.source ? spec.span.source->text : name;
    for (size_t at = text.find(kFrom); name.empty() && at != std::string::npos; at = text.find(kFrom, at + 1)) {
      const std::string_view line = std::string_view(text).substr(at, text.find('\n', at) - at);
      if (line.find("model_registry") != std::string_view::npos)
        name = line.substr(kFrom.size(), line.find(' ', kFrom.size()) - kFrom.size());
    }
    if (name.empty()) name = choice_.module.text;
    if (name.ends_with(kFile)) name.resize(name.size() - kFile.size());
    const std::string& file = spec.span.source ? spec.span.source->name : text;
    if (const size_t end = file.rfind('/'); name.empty() && end != std::string::npos) {
      name = file.substr(0, end);
      name = name.substr(name.rfind('/') + 1);
    }
    for (const TorchtitanFlavor& row : torchtitan_flavors())
      if (name.empty() && choice_.config.text.starts_with(row.name + std::string("_"))) name = row.name;
    return name.substr(name.rfind('.') + 1);
  }

  void converters(dsl::Node& list) {
    for (dsl::Node& item : list.items) {
      const std::string name = class_of(item);
      const char* word = word_of(kConverters, name);
      const dsl::Span span = item.span;
      const dsl::Node *recipe = item.find("recipe_name"), *emulate = item.find("emulate"), *part = item.find("fqns");
      if (name == "Float8LinearConverter") put("float8.recipe_name", recipe ? recipe->text : "rowwise", span, true);
      if (name == "LoRAConverter")
        diagnostics_.error(span, "'LoRAConverter' trains adapters alone, which this import does not read",
                           "take it out, and give the scenario `job.lora`");
      if (emulate && emulate->text == "true")
        diagnostics_.error(emulate->span, "'emulate' computes in 16 bits, which is not planned",
                           "take it out to plan the run without it");
      if (part && word) diagnostics_.warning(part->span, "a part of the matrices is converted: planned as all");
      item = value_node(word ? word : name, span, "", true);
    }
  }

  /// Takes out the names of classes. Sections that a function makes of which no file has the body are refused.
  void strip(dsl::Node& map, const std::string& path, int depth) {
    const dsl::Node* name = called(map);
    const std::string last = name ? name->text.substr(name->text.rfind('.') + 1) : "";
    if (name && !last.empty() && !(last[0] >= 'A' && last[0] <= 'Z') && is_read(path))
      diagnostics_.error(name->span, "no file that is given has the function '" + dsl::shortened(name->text) + "'",
                         "give the file that defines it, too");
    std::erase_if(map.entries, [](const dsl::Entry& e) {
      return e.key == "()" || e.key == "." || e.key == "=" || e.key.empty() ||
             (e.key == "model_spec" && e.value.kind == dsl::Node::Kind::null);
    });
    for (dsl::Entry& e : map.entries)
      if (depth < 1 && e.value.kind == dsl::Node::Kind::map && newest_table().role_of(e.key) != KeyRole::idle)
        strip(e.value, e.key, depth + 1);
  }
  static bool is_read(const std::string& path) {
    return path == "training" || path == "parallelism" || path == "compile" || path == "optimizer";
  }

  /// Returns a whole number of 1 or more, `absent` if the configuration lacks the key, and 0 for another value, which
  /// the rules diagnose.
  int64_t count(const char* path, int64_t absent) const {
    const dsl::Node* node = dsl::node_at(config_, path);
    if (!node || node->kind == dsl::Node::Kind::null) return absent;
    if (node->text.empty() || node->text.size() > 15 || !std::ranges::all_of(node->text, dsl::is_digit)) return 0;
    return std::stoll(node->text);
  }

  /// Tokens of a microbatch and of a step become sequences.
  void batches() {
    const bool is_earlier = dsl::node_at(config_, "training.local_batch_size") ||
                            dsl::node_at(config_, "training.seq_len") ||
                            dsl::node_at(config_, "training.global_batch_size");
    const int64_t context = count(kContext, 2048), tokens = count(kTokens, 16384), step = count(kStepTokens, -1);
    const bool has_pipeline = count("parallelism.pipeline_parallel_degree", 1) > 1;
    const int64_t pieces = has_pipeline ? std::max<int64_t>(count(kPieces, 1), 1) : 1;
    if (!is_earlier) graphs(has_pipeline);
    if (is_earlier || context == 0 || tokens == 0) return;
    if (!sequences(kTokens, tokens, context, pieces)) return;
    if (step > 0) sequences(kStepTokens, step, context, 1);
    if (has_pipeline) put(kPieces, std::to_string(pieces), place_of(kPieces));
    else drop_field(config_, kPieces);
  }

  /// The releases that count tokens run the step as a CUDA graph, unless it is disabled; they refuse what has none
  /// (torchtitan/trainer.py: _validate_cuda_graphs).
  void graphs(bool has_pipeline) {
    constexpr const char *kNoGraphs = "training.disable_cuda_graphs", *kExperts = "parallelism.expert_parallel_degree";
    if (dsl::node_at(config_, kNoGraphs)) return;
    const dsl::Node* backend = dsl::node_at(config_, "model_spec.moe_comm_backend");
    const bool waits =
        count(kExperts, 1) > 1 && !(backend && (backend->text == "minimal_async_ep" ||
                                                dsl::node_at(config_, "model_spec.non_blocking_capacity_factor")));
    if (has_pipeline || waits)
      diagnostics_.warning(place_of(has_pipeline ? "parallelism.pipeline_parallel_degree" : kExperts),
                           has_pipeline ? "torchtitan has no CUDA graphs of a pipeline: planned without graphs"
                                        : "torchtitan has no CUDA graphs of such experts: planned without graphs",
                           "--training.disable_cuda_graphs");
    put(kNoGraphs, has_pipeline || waits ? "true" : "false", config_.span);
  }

  bool sequences(const char* path, int64_t tokens, int64_t context, int64_t times) {
    if (tokens % context != 0) {
      diagnostics_.error(place_of(path), fmt::format("{} {} is no multiple of {} {}", path, tokens, kContext, context));
      return false;
    }
    put(path, std::to_string(tokens / context * times), place_of(path));
    return true;
  }
  dsl::Span place_of(const char* path) const {
    const dsl::Node* node = dsl::node_at(config_, path);
    return node ? node->span : config_.span;
  }

  dsl::Node& config_;
  const RegistryChoice& choice_;
  dsl::Diagnostics& diagnostics_;
};

}  // namespace

void translate_newest(dsl::Node& config, const RegistryChoice& choice, dsl::Diagnostics& diagnostics) {
  NewestTranslation(config, choice, diagnostics).run();
}

}  // namespace planner::torchtitan
