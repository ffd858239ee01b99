// A model as transformers finds it: by its name on the hub, or in the folder of its config.json.
#include <filesystem>

#include "dsl/quoting.h"
#include "planner/export/table.h"
#include "planner/import/hub_names.h"

namespace planner::exporting {
namespace {

bool is_config_json(const dsl::Source* source) {
  return source && std::filesystem::path(source->name).filename() == "config.json";
}

}  // namespace

HubModel hub_model(const Writer& w) {
  const dsl::Source* source = w.slot().span.source;
  if (!is_config_json(source)) return {hub_of_model(w.s.model.name), false};
  const std::string folder = std::filesystem::path(source->name).parent_path().string();
  return {folder.starts_with('/') || folder.starts_with('.') ? folder : "./" + folder, true};
}

bool is_own_value(const Writer& w) {
  const dsl::Source* source = w.slot().span.source;
  return w.slot().given && source && !source->name.starts_with("catalog:") && !is_config_json(source);
}

void put_hub_model(Writer& w, const std::string& by_name, const std::string& by_folder) {
  if (is_own_value(w)) return w.refuse("a name of its own says no architecture", "model: {use: NAME}");
  const HubModel model = hub_model(w);
  if (model.name.empty())
    return w.refuse("it is known by no name on the hub", "model: {use: hf:PATH} with its config.json");
  if (dsl::find_hidden(model.name) != std::string::npos)
    return w.refuse("its path holds a letter that does not show", "rename the folder");
  w.put_word(model.is_folder ? by_folder : by_name, model.name);
}

void keep_shape(Writer& w) {
  if (is_own_value(w)) w.refuse("the model's config.json fixes it");
}

}  // namespace planner::exporting
