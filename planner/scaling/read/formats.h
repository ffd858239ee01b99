// The formats that measurements come in: one row each.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "dsl/catalog.h"
#include "planner/scaling/read/experiment_builder.h"

namespace planner::scaling {

/// A data file is a file of measurements. A database is not loaded: its source holds the file's own name as text, so
/// that messages can point into it.
struct MeasurementFile {
  std::string path;
  const dsl::Source* source = nullptr;
  bool database = false;             // begins as a file of SQLite does, or is named so
  std::optional<std::string> bytes;  // of a database that is not a file: standard input
};

struct ReadContext {
  ExperimentBuilder& builder;
  dsl::Sources& sources;  // receives the text unpacked from a file
  dsl::Diagnostics& diagnostics;
};

struct MeasurementFormat {
  const char* name;
  const char* extension;                            // file extension, used if the content is ambiguous; "": none
  bool (*recognises)(const MeasurementFile& file);  // by content; null: never
  void (*read)(std::span<const MeasurementFile> files, ReadContext& context);  // all files of the format in one run
};

std::span<const MeasurementFormat> formats();
/// Returns the format of a file, or nullptr.
const MeasurementFormat* format_of(const MeasurementFile& file);

void read_text(const dsl::Source& source, ReadContext& context);
void read_json(const dsl::Source& source, ReadContext& context);
void read_json_lines(const dsl::Source& source, ReadContext& context);
void read_talpas(const dsl::Source& source, ReadContext& context);
void read_csv_table(const dsl::Source& source, ReadContext& context);
void read_extrap(const dsl::Source& source, ReadContext& context);
void read_nsight(std::span<const MeasurementFile> files, ReadContext& context);

bool looks_like_text(const MeasurementFile& file);
bool looks_like_json(const MeasurementFile& file);
bool looks_like_json_lines(const MeasurementFile& file);
bool looks_like_talpas(const MeasurementFile& file);
bool looks_like_zip(const MeasurementFile& file);

}  // namespace planner::scaling
