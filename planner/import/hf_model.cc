#include "planner/import/hf_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "planner/import/field_tree.h"
#include "planner/import/hf_reader.h"
#include "planner/import/hf_tower.h"

namespace planner::hf {
namespace {

constexpr const char* kTied = "tie_word_embeddings";

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
    if ((e.key != "vision_config" && e.key != "audio_config") || e.value.kind == dsl::Node::Kind::null) continue;
    reader.find(e.key);
    if (e.value.kind != dsl::Node::Kind::map) {
      diagnostics.error(e.value.span, "expected a map for '" + e.key + "'");
      continue;
    }
    const double more = tower_parameters(e.value, diagnostics);
    diagnostics.warning(e.key_span,
                        "'" + e.key + "' is left out: the plan has the language model alone" +
                            (more > 0 ? "" : "; it does not say its width and depth: 'towers' is without it"));
    parameters += more;
    key = e.key;
  }
  if (parameters > 0) reader.put("towers", fmt::format("{:.0f}", parameters), key);
}

/// The language model's configuration. Whether embedding and head are tied is a key of the whole model.
dsl::Node language_model(const dsl::Node& config, const dsl::Node& inner) {
  dsl::Node out = inner;
  const auto tied = std::ranges::find(config.entries, kTied, &dsl::Entry::key);
  if (tied != config.entries.end() && !inner.find(kTied)) out.entries.push_back(*tied);
  return out;
}

/// The configuration of the language model; null where it is missing. One that lies deeper than the architecture has it
/// is of a model that sees or hears, and is read as another.
const dsl::Node* inner_of(const dsl::Node& config, const Architecture& row) {
  if (*row.inside) return config.find(row.inside);
  const dsl::Node* text = config.find("text_config");
  return text && text->kind == dsl::Node::Kind::map ? text : &config;
}

void put_identity(const dsl::Node& config, const Architecture& row, ConfigReader& reader, const dsl::Span& place) {
  put_field(reader.model, "name", value_node(name_of(config, row), place, "", true), place);
  if (const std::string family = family_of(config, row); !family.empty())
    put_field(reader.model, "family", value_node(family, place, "", true), place);
}

void read_row(const Architecture& row, ConfigReader& reader) {
  reader.read_keys(row.shape);
  reader.put_facts(row.facts);
  if (row.tied) reader.read_keys(std::array{ConfigKey{kTied, "tied_embeddings", row.tied}});
  reader.read_keys(row.keys);
  reader.read_keys(row.routed);
  if (row.more) row.more(reader);
}

bool has_errors(const dsl::Diagnostics& diagnostics, size_t from) {
  return std::any_of(diagnostics.list.begin() + static_cast<std::ptrdiff_t>(from), diagnostics.list.end(),
                     [](const dsl::Diagnostic& d) { return d.severity == dsl::Severity::error; });
}

}  // namespace

const Architecture* named(const std::string& name) {
  for (const Architecture& row : architectures())
    if (name == row.name) return &row;
  return nullptr;
}

const Architecture* of_type(const std::string& model_type) {
  for (const Architecture& row : architectures())
    if (!model_type.empty() && model_type == row.model_type) return &row;
  return nullptr;
}

ModelReading read_as(const dsl::Node& config, const Architecture& row, const dsl::Span& name,
                     dsl::Diagnostics& diagnostics) {
  const size_t before = diagnostics.list.size();
  ModelReading reading;
  reading.model = dsl::broken_node();
  const dsl::Node* inner = inner_of(config, row);
  if (!inner || inner->kind != dsl::Node::Kind::map) {
    diagnostics.error(config.span, std::string("missing key '") + row.inside + "' of " + row.name);
    reading.missing.emplace_back(row.inside);
    return reading;
  }
  const dsl::Node language = language_model(config, *inner);
  ConfigReader reader(language, row, name, diagnostics);
  put_identity(config, row, reader, name);
  reader.put_facts(row.style);
  count_towers(config, reader, diagnostics);
  read_row(row, reader);
  reading.shared = reader.shared(), reading.lacked = reader.lacked();
  reading.missing = reader.missing();
  if (has_errors(diagnostics, before)) return reading;  // keys left unread after an error are not reported
  reading.unread = reader.warn_unknown();
  reader.model.span = config.span;
  reading.model = std::move(reader.model);
  return reading;
}

}  // namespace planner::hf
