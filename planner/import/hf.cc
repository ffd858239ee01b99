#include "planner/import/hf.h"

#include "dsl/raw_text.h"
#include "planner/import/hf_likeness.h"
#include "planner/import/hf_model.h"

namespace planner {
namespace {

using hf::Architecture;

/// The node that says which architecture it is: the first of `architectures`, else `model_type`; or null.
const dsl::Node* identity(const dsl::Node& config) {
  const dsl::Node* list = config.find("architectures");
  if (list && !list->items.empty()) return &list->items[0];
  const dsl::Node* type = config.find("model_type");
  return type && type->kind == dsl::Node::Kind::scalar ? type : nullptr;
}

/// By either name.
const Architecture* hf_architecture(const std::string& name) {
  const Architecture* row = hf::named(name);
  return row ? row : hf::of_type(name);
}

/// The row that `as` names, or the configuration itself; null where it is unknown, diagnosed.
const Architecture* architecture_of(const dsl::Node& config, const dsl::Node* name, const std::string& as,
                                    dsl::Diagnostics& diagnostics) {
  if (!as.empty()) {
    const Architecture* row = hf_architecture(as);
    if (name && name->text != row->name && name->text != row->model_type)
      diagnostics.warning(name->span, "'" + dsl::shortened(name->text) + "' is read as " + row->name);
    return row;
  }
  if (!name) {
    diagnostics.error(config.span, "no 'architectures': this is not the configuration of a Hugging Face model",
                      hf::likeness_hint(config));
    return nullptr;
  }
  const bool is_type = name == config.find("model_type");
  if (const Architecture* row = is_type ? hf::of_type(name->text) : hf::named(name->text)) return row;
  diagnostics.error(name->span, "unknown architecture '" + dsl::shortened(name->text) + "'", hf::likeness_hint(config));
  return nullptr;
}

}  // namespace

dsl::Node convert_hf_as(const dsl::Node& config, const std::string& as, dsl::Diagnostics& diagnostics) {
  const dsl::Node* name = identity(config);
  const Architecture* row = architecture_of(config, name, as, diagnostics);
  if (!row) return dsl::broken_node();
  return hf::read_as(config, *row, name ? name->span : config.span, diagnostics).model;
}

dsl::Node convert_hf(const dsl::Node& config, dsl::Diagnostics& diagnostics) {
  return convert_hf_as(config, "", diagnostics);
}

/// By either name.
bool is_hf_architecture(const std::string& name) { return hf_architecture(name) != nullptr; }

std::vector<std::string> hf_architectures() {
  std::vector<std::string> names;
  for (const Architecture& row : hf::architectures()) names.emplace_back(row.name);
  return names;
}

std::vector<std::string> hf_model_types() {
  std::vector<std::string> types;
  for (const Architecture& row : hf::architectures())
    if (*row.model_type) types.emplace_back(row.model_type);
  return types;
}

std::vector<dsl::Format> model_formats() {
  return {{"hf:", "config.json", convert_hf,
           "nothing is downloaded: save its config.json, and name that folder behind hf:", kHfLimits}};
}

}  // namespace planner
