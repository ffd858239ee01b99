#include "planner/studies/runs/row_scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace planner {
namespace {

/// Nested fields in the order they were put.
class Tree {
 public:
  void put(std::string_view path, std::string value) {
    size_t dot = path.find('.');
    Tree& child = below(path.substr(0, dot));
    if (dot == std::string_view::npos) child.value_ = std::move(value);
    else child.put(path.substr(dot + 1), std::move(value));
  }
  std::string text(size_t indent = 0) const {
    std::string out;
    for (const auto& [key, tree] : children_) {
      out += std::string(indent, ' ') + key + ":";
      out += tree.children_.empty() ? " " + tree.value_ + "\n" : "\n" + tree.text(indent + 2);
    }
    return out;
  }

 private:
  Tree& below(std::string_view key) {
    for (auto& [name, tree] : children_)
      if (name == key) return tree;
    return children_.emplace_back(std::string(key), Tree{}).second;
  }
  std::vector<std::pair<std::string, Tree>> children_;
  std::string value_;
};

/// Any text as a YAML string in double quotes.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') out += "\\n";
    else if (c == '\t') out += "\\t";
    else if (c == '\r') out += "\\r";
    else out += c;
  }
  return out + '"';
}

bool in_catalog(const dsl::Catalog& catalog, const char* kind, const std::string& name) {
  const std::vector<std::string> names = dsl::catalog_names(catalog, kind);
  return std::find(names.begin(), names.end(), name) != names.end();
}

class ScenarioBuilder {
 public:
  ScenarioBuilder(const RunConfig& config, const dsl::Catalog& catalog) : c_(config), catalog_(catalog) {}

  RowScenario build() {
    out_.skipped = first_reason();
    if (!out_.skipped.empty()) return std::move(out_);
    put_model();
    put_job();
    put_cluster();
    put_layout();
    put_sharding();
    put_software();
    out_.yaml = tree_.text();
    return std::move(out_);
  }

 private:
  // ---- why a row is skipped: the first reason that holds

  std::string first_reason() {
    for (auto reason : {&ScenarioBuilder::kind_reason, &ScenarioBuilder::machine_reason,
                        &ScenarioBuilder::layout_reason, &ScenarioBuilder::model_reason}) {
      std::string text = (this->*reason)();
      if (!text.empty()) return text;
    }
    return "";
  }
  std::string kind_reason() {
    auto known = [](const std::string& word, std::initializer_list<const char*> words) {
      return std::find(words.begin(), words.end(), word) != words.end();
    };
    if (!known(c_.task, {"", "pretrain", "sft", "lora", "qlora"})) return fmt::format("unknown task '{}'", c_.task);
    if (!known(c_.family, {"dense", "bert", "moe"})) return fmt::format("family '{}' is no Transformer", c_.family);
    return "";
  }
  std::string machine_reason() {
    if (!in_catalog(catalog_, "accelerator", accelerator_of(c_)))
      return fmt::format("accelerator '{}' is not in the catalogue", dsl::lower_case(c_.gpu));
    if (!in_catalog(catalog_, "software", c_.software))
      return fmt::format("software '{}' is not in the catalogue", c_.software);
    cluster_ = choose_cluster(c_);
    if (!cluster_.cluster.empty()) return "";
    return fmt::format("no cluster in the catalogue has '{}' with {} in a node", dsl::lower_case(c_.gpu),
                       c_.gpus_per_node.value_or(0));
  }
  std::string layout_reason() {
    if (!c_.n_gpus || !c_.tp || !c_.pp) return "no layout: n_gpus, tp or pp is empty";
    if (!c_.global_batch) return "no batch: global_batch is empty";
    if (c_.zero_stage.empty()) return "";
    auto stage = dsl::cell_number(c_.zero_stage);
    return stage && *stage >= 0 && *stage <= 3 ? "" : fmt::format("zero_stage '{}' is no stage", c_.zero_stage);
  }
  std::string model_reason() {
    const std::array<std::pair<const char*, const Count&>, 5> needed{{{"layers", c_.layers},
                                                                      {"hidden", c_.hidden},
                                                                      {"heads", c_.heads},
                                                                      {"vocab", c_.vocab},
                                                                      {"seq_len", c_.seq_len}}};
    for (const auto& [name, count] : needed)
      if (!count) return fmt::format("no model: {} is empty", name);
    return "";
  }

  // ---- sections

  void put(const std::string& path, const std::string& value) { tree_.put(path, value); }
  void put(const std::string& path, int64_t value) { put(path, std::to_string(value)); }
  void assume(const std::string& path, const std::string& value) {
    put(path, value);
    out_.assumptions.push_back({path, value});
  }
  void leave(const std::string& path) { out_.left.push_back(path); }
  /// The cell, or the assumed value if it is empty.
  void put_or(const std::string& path, const Count& count, int64_t otherwise) {
    if (count) put(path, *count);
    else assume(path, std::to_string(otherwise));
  }

  void put_model() {
    if (!c_.model_name.empty()) put("model.name", quoted(c_.model_name));
    if (const std::string family = model_family(c_); !family.empty()) put("model.family", family);
    for (const ModelField& f : model_fields(c_)) {
      if (f.assumed) assume("model." + f.name, f.value);
      else put("model." + f.name, f.value);
    }
  }

  void put_job() {
    if (const int64_t length = binned_length(c_); length < *c_.seq_len) assume("job.sequence", std::to_string(length));
    else put("job.sequence", *c_.seq_len);
    put("job.global_batch", *c_.global_batch);
    put("job.precision", quoted(c_.precision));
    put("job.optimizer", optimizer());
    put("job.task", c_.task.empty() ? "pretrain" : c_.task);
    if (c_.task == "lora" || c_.task == "qlora") leave("job.lora.rank");
  }
  std::string optimizer() const {
    const std::string cell = dsl::lower_case(c_.optimizer);
    if (cell.empty() || cell.find("adam") != std::string::npos) return "adam";
    return quoted(cell.substr(0, cell.find_first_of(" (,;")));  // what follows the word is a remark
  }

  void put_cluster() {
    if (cluster_.assumed) assume("cluster.use", cluster_.cluster);
    else put("cluster.use", cluster_.cluster);
    put("cluster.gpus", *c_.n_gpus);
  }

  void put_layout() {
    put("parallelism.tp", *c_.tp);
    put("parallelism.pp", *c_.pp);
    put_or("parallelism.cp", c_.cp, 1);
    if (c_.ep) put("parallelism.ep", *c_.ep);
    if (c_.dp) put("parallelism.dp", *c_.dp);
    if (c_.vpp) put("parallelism.interleave", *c_.vpp);
    else leave("parallelism.interleave");
    if (c_.microbatch) put("parallelism.microbatch", *c_.microbatch);
    else leave("parallelism.microbatch");
    if (!c_.recompute.empty()) put("parallelism.recompute", quoted(c_.recompute));
    else if (unfused()) assume("parallelism.recompute", "full");
    else leave("parallelism.recompute");
    if (c_.sequence_parallel)
      put("parallelism.sequence_parallel", *c_.sequence_parallel && *c_.tp > 1 ? "true" : "false");
    else if (*c_.tp > 1) leave("parallelism.sequence_parallel");
  }
  bool unfused() const { return c_.attention_kernel == "unfused" || c_.flash_attention == 0; }

  void put_sharding() {
    const bool told = !c_.zero_stage.empty() && !(c_.zero_stage == "3" && software_habits(c_.software).always_shards);
    if (told) put("parallelism.zero", c_.zero_stage);
    else leave("parallelism.zero");
    if (c_.zero_group) put("parallelism.zero_group", *c_.zero_group);
  }

  void put_software() {
    const ProfileOfRow profile = profile_of(c_);
    if (profile.use == c_.software) put("software.use", profile.use);
    else assume("software.use", profile.use);
    put("software.release", profile.release);
    if (!c_.attention_kernel.empty()) put("software.attention", quoted(c_.attention_kernel));
    if (c_.grad_bytes) put("software.memory.gradient", *c_.grad_bytes);
    // 6 is a 16-bit copy beside an fp32 accumulator: the accumulator is what travels, as the profile says.
    if (c_.grad_bytes && *c_.grad_bytes <= 4 && !software_habits(c_.software).casts_gradients)
      put("software.reduce_bytes", *c_.grad_bytes);
    for (const FlagField& flag : flag_fields(c_.overlap_flags)) put(flag.field, flag.value);
  }

  const RunConfig& c_;
  const dsl::Catalog& catalog_;
  ClusterChoice cluster_;
  Tree tree_;
  RowScenario out_;
};

}  // namespace

RowScenario row_scenario(const RunConfig& config, const dsl::Catalog& catalog) {
  return ScenarioBuilder(config, catalog).build();
}

}  // namespace planner
