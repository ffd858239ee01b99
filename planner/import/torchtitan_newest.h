// torchtitan of 2026, which Python configures: `--module llama3 --config llama3_8b`, functions of config_registry.py.
//
// Names: github.com/pytorch/torchtitan at b5bcd76c, torchtitan/config/manager.py, configs.py and models/*/__init__.py.
#pragma once

#include "dsl/catalog.h"
#include "planner/import/imported_run.h"
#include "planner/import/launch_line.h"

namespace planner::torchtitan {

/// What the launch line says of the configuration: `--module` and `--config`, or MODULE and CONFIG of run_train.sh.
struct RegistryChoice {
  ShellWord module, config;  // without text: not said
};
RegistryChoice choice_of(const LaunchLine& line);

/// Whether a text is Python, and whether it is a launch line that names a function of it.
bool is_python(const dsl::Source& source);
bool names_registry(const dsl::Source& source);

/// Returns what the function returns: a map with "()". Its file is among those that are given, that the script writes,
/// or that it can open. Diagnosed (then broken): no such function, several where none is named.
dsl::Node read_registry(const RegistryChoice& choice, const LaunchLine& line, const RunFiles& files,
                        dsl::Sources& sources, dsl::Diagnostics& diagnostics);

/// Turns such a configuration, with overrides put over it, into keys of the table: converters and classes become words,
/// tokens become sequences.
void translate_newest(dsl::Node& config, const RegistryChoice& choice, dsl::Diagnostics& diagnostics);

}  // namespace planner::torchtitan
