// Classes of NeMo 2 and Megatron-Bridge that say a shape: their defaults go over those of Megatron-Core.
//
// Sources: github.com/NVIDIA/NeMo, nemo/collections/llm/gpt/model/*.py; github.com/NVIDIA-NeMo/Megatron-Bridge,
// src/megatron/bridge/models/*/*_provider.py. Both programs have the same defaults.
#pragma once

#include <map>
#include <string>

namespace planner::megatron {

/// What a class without a size is known for.
enum class ShapeClass { none, known, foreign };

/// Whether a class says a shape, by its name without the module: "Llama3Config", "GPTModelProvider". `none`: it says
/// something else; `foreign`: it has defaults that no row has.
ShapeClass shape_class(const std::string& name);

/// Returns arguments of Megatron-LM and their values, as Python writes them. REQUIRES: the class is known.
std::map<std::string, std::string> class_defaults(const std::string& name);

}  // namespace planner::megatron
