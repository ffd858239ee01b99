// Measurements of runs from the files that people have: the entry of all readers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dsl/catalog.h"
#include "planner/scaling/experiment.h"

namespace planner::scaling {

/// One experiment of all files (a folder stands for the .sqlite files in it). The format of each is told by its
/// content, or by its name where the content does not say; the rows of formats.h. nullopt: a mistake, diagnosed.
std::optional<Experiment> read_measurements(const std::vector<std::string>& paths, dsl::Sources& sources,
                                            dsl::Diagnostics& diagnostics);

/// The same for one text that is no file. `name` is shown in messages.
std::optional<Experiment> read_measurements_text(const std::string& name, std::string text, dsl::Sources& sources,
                                                 dsl::Diagnostics& diagnostics);

/// "Extra-P text, CSV, ...": what can be read, for messages and help.
std::string known_formats();

}  // namespace planner::scaling
