// Models of the catalogue by their names on the Hugging Face hub, as scripts of transformers take them.
#pragma once

#include <string>
#include <string_view>

namespace planner {

/// Returns the catalogue's name of a model of the hub, or "". An "-Instruct" behind it changes no shape.
std::string model_of_hub(std::string name);
/// Returns the catalogue's name of a model by any owner's copy or a preset's name ("NousResearch/Meta-Llama-3-8B",
/// "llama3.1_8B.yaml"), or "".
std::string model_named(std::string_view name);
/// Returns a figure of a model of the catalogue as its file has it, or "": "layers".
std::string figure_of_model(std::string_view model, std::string_view field);
/// Returns the hub's name of a model of the catalogue, or "".
std::string hub_of_model(const std::string& name);

}  // namespace planner
