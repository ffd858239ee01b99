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
struct DataFile {
  std::string path;
  const dsl::Source* source = nullptr;
  bool database = false;             // begins as a file of SQLite does, or is named so
  std::optional<std::string> bytes;  // of a database that is no file: standard input
};

struct ReadContext {
  Builder& builder;
  dsl::Sources& sources;  // takes what is unpacked from a file
  dsl::Diagnostics& diagnostics;
};

struct Format {
  const char* name;
  const char* extension;                     // what the name ends in, where the content says nothing; "": nothing
  bool (*recognises)(const DataFile& file);  // by content; null: never
  void (*read)(std::span<const DataFile> files, ReadContext& context);  // all files of the format in one run
};

std::span<const Format> formats();
/// Returns the format of a file, or nullptr.
const Format* format_of(const DataFile& file);

void read_text(const dsl::Source& source, ReadContext& context);
void read_json(const dsl::Source& source, ReadContext& context);
void read_json_lines(const dsl::Source& source, ReadContext& context);
void read_talpas(const dsl::Source& source, ReadContext& context);
void read_csv_table(const dsl::Source& source, ReadContext& context);
void read_extrap(const dsl::Source& source, ReadContext& context);
void read_nsight(std::span<const DataFile> files, ReadContext& context);

bool looks_like_text(const DataFile& file);
bool looks_like_json(const DataFile& file);
bool looks_like_json_lines(const DataFile& file);
bool looks_like_talpas(const DataFile& file);
bool looks_like_zip(const DataFile& file);

}  // namespace planner::scaling
