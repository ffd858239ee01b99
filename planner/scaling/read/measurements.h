// Measurements of runs from the files that people have: the entry of all readers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dsl/catalog.h"
#include "planner/scaling/experiment.h"

namespace planner::scaling {

/// The most bytes of a file of measurements; one of SQLite, which is not read into memory, may have more (database.h).
inline constexpr size_t kMostMeasurementBytes = size_t{256} << 20;

/// Reads one experiment from all files (a folder means the .sqlite files in it). The format of each is detected by its
/// content, or by its name if the content is ambiguous; formats.h lists them. nullopt: a mistake, diagnosed.
std::optional<Experiment> read_measurements(const std::vector<std::string>& paths, dsl::Sources& sources,
                                            dsl::Diagnostics& diagnostics);

/// Reads one experiment from a text that is not a file. `name` is shown in messages.
std::optional<Experiment> read_measurements_text(const std::string& name, std::string text, dsl::Sources& sources,
                                                 dsl::Diagnostics& diagnostics);

/// Returns what can be read, for messages and help: "Extra-P text, CSV, ...".
std::string known_formats();

}  // namespace planner::scaling
