#include "planner/import/hf.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "dsl/raw_text.h"
#include "planner/import/field_tree.h"
#include "planner/import/hf_reader.h"
#include "planner/import/hf_tower.h"

namespace planner {
namespace {

using hf::Architecture;
using hf::ConfigReader;

std::string known_names() {
  std::string text;
  for (const std::string& name : hf_architectures()) text += (text.empty() ? "known: " : ", ") + name;
  return text;
}

const Architecture* named(const std::string& name) {
  for (const Architecture& row : hf::architectures())
    if (name == row.name) return &row;
  return nullptr;
}

const Architecture* of_type(const std::string& model_type) {
  for (const Architecture& row : hf::architectures())
    if (!model_type.empty() && model_type == row.model_type) return &row;
  return nullptr;
}

/// The node that says which architecture it is: the first of `architectures`, else `model_type`; or null.
const dsl::Node* identity(const dsl::Node& config) {
  const dsl::Node* list = config.find("architectures");
  if (list && !list->items.empty()) return &list->items[0];
  const dsl::Node* type = config.find("model_type");
  return type && type->kind == dsl::Node::Kind::scalar ? type : nullptr;
}

const Architecture* architecture_of(const dsl::Node& config, const dsl::Node& name, dsl::Diagnostics& diagnostics) {
  const bool is_type = &name == config.find("model_type");
  if (const Architecture* row = is_type ? of_type(name.text) : named(name.text)) return row;
  diagnostics.error(name.span, "unknown architecture '" + dsl::shortened(name.text) + "'", known_names());
  return nullptr;
}

/// The last part of the name that the configuration carries, else the folder around config.json, else the type.
std::string name_of(const dsl::Node& config, const Architecture& row) {
  const dsl::Node *given = config.find("_name_or_path"), *type = config.find("model_type");
  const std::filesystem::path file = config.span.source->name;
  std::filesystem::path name = given ? given->text : "";
  if (!name.has_filename()) name = name.parent_path();  // "a/b/"
  if (name.empty() && file.filename() == "config.json") name = file.parent_path();
  if (name.filename().empty() || name.filename() == ".") name = type ? type->text : row.model_type;
  return name.filename().string();
}

/// A type that has no row of its own is a family of its own: Kimi K2 has the architecture of DeepSeek-V3.
std::string family_of(const dsl::Node& config, const Architecture& row) {
  const dsl::Node* type = config.find("model_type");
  if (!type || type->text.empty() || of_type(type->text)) return row.family;
  std::string family = type->text;
  std::ranges::replace(family, '_', '-');
  return family;
}

/// Beside the language model: towers are counted, and not planned.
void count_towers(const dsl::Node& config, ConfigReader& reader, dsl::Diagnostics& diagnostics) {
  double parameters = 0;
  std::string key;
  for (const dsl::Entry& e : config.entries) {
    if ((e.key != "vision_config" && e.key != "audio_config") || e.value.kind != dsl::Node::Kind::map) continue;
    diagnostics.warning(e.key_span, "'" + e.key + "' is left out: the plan has the language model alone");
    parameters += hf::tower_parameters(e.value);
    key = e.key;
  }
  if (parameters > 0) reader.put("towers", fmt::format("{:.0f}", parameters), key);
}

/// The language model's configuration. Whether embedding and head are one is said of the whole model.
dsl::Node language_model(const dsl::Node& config, const dsl::Node& inner) {
  constexpr const char* kTied = "tie_word_embeddings";
  dsl::Node out = inner;
  const auto tied = std::ranges::find(config.entries, kTied, &dsl::Entry::key);
  if (tied != config.entries.end() && !inner.find(kTied)) out.entries.push_back(*tied);
  return out;
}

}  // namespace

dsl::Node convert_hf(const dsl::Node& config, dsl::Diagnostics& diagnostics) {
  const size_t before = diagnostics.list.size();
  const dsl::Node* name = identity(config);
  if (!name) {
    diagnostics.error(config.span, "no 'architectures': this is not the configuration of a Hugging Face model");
    return dsl::broken_node();
  }
  const Architecture* row = architecture_of(config, *name, diagnostics);
  if (!row) return dsl::broken_node();
  const dsl::Node* inner = *row->inside ? config.find(row->inside) : &config;
  if (!inner || inner->kind != dsl::Node::Kind::map) {
    diagnostics.error(config.span, std::string("missing key '") + row->inside + "' of " + row->name);
    return dsl::broken_node();
  }
  const dsl::Node language = language_model(config, *inner);
  ConfigReader reader(language, *row, name->span, diagnostics);
  put_field(reader.model, "name", value_node(name_of(config, *row), name->span, "", true), name->span);
  if (const std::string family = family_of(config, *row); !family.empty())
    put_field(reader.model, "family", value_node(family, name->span, "", true), name->span);
  reader.put_facts(row->style);
  if (inner != &config) count_towers(config, reader, diagnostics);
  reader.read_keys(row->shape);
  reader.put_facts(row->facts);
  reader.read_keys(row->keys);
  reader.read_keys(row->routed);
  if (row->more) row->more(reader);
  reader.warn_unknown();
  for (size_t i = before; i < diagnostics.list.size(); ++i)
    if (diagnostics.list[i].severity == dsl::Severity::error) return dsl::broken_node();
  reader.model.span = config.span;
  return std::move(reader.model);
}

std::vector<std::string> hf_architectures() {
  std::vector<std::string> names;
  for (const Architecture& row : hf::architectures()) names.emplace_back(row.name);
  return names;
}

std::vector<dsl::Format> model_formats() {
  return {{"hf:", "config.json", convert_hf,
           "nothing is downloaded: save its config.json, and name that folder behind hf:"}};
}

}  // namespace planner
