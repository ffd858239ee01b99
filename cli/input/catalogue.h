// Catalogue entries and files of any kind, read on their own.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/input/session.h"
#include "dsl/record.h"
#include "planner/resolve/recipe_rules.h"

namespace cli {

/// A kind of catalogue file. An entry's keys are at the top of its file; in a scenario they are below `path`, so that
/// its defaults and messages name fields like a scenario.
struct EntryKind {
  const char* name;    // "model", "cluster", "accelerator", "software", "calibration", "roadmap", "scenario"
  const char* folder;  // of a catalogue directory: "models" ...
  const char* summary;
  const char* path;         // "model", "cluster", "cluster.gpu" ...; "" for a scenario
  bool sourced;             // every figure carries its source
  dsl::Schema (*schema)();  // null for a scenario, which planner reads
};

std::span<const EntryKind> entry_kinds();
const EntryKind* find_kind(std::string_view name);

/// The kind of a file: by its folder, else by the kind that knows most of its top keys.
const EntryKind& kind_of_file(const dsl::Source& source);

/// An entry read on its own.
struct Entry {
  const EntryKind* kind = nullptr;
  const dsl::Source* source = nullptr;  // null: there is none (diagnosed)
  dsl::Schema schema;                   // `record` points into it: an Entry moves, but is not copied
  dsl::Record record;
  std::vector<planner::Recipe> recipes, rules;  // of software

  Entry() = default;
  Entry(Entry&&) = default;
  Entry& operator=(Entry&&) = default;
};

/// Reads and evaluates a catalogue entry with the entries that it uses; mistakes go to the session's diagnostics.
/// `name`: a catalogue name, or a file ("./x.yaml"). Fields that only a scenario gives (cluster.gpus) may be missing.
/// `sets`: overrides, by paths of a scenario. REQUIRES: kind.schema.
Entry read_entry(const EntryKind& kind, const std::string& name, Session& session,
                 const std::vector<dsl::Override>& sets = {});

/// The path of the first item: "cluster.network[0].bandwidth" of "cluster.network[].bandwidth".
std::string first_item_path(std::string path);
/// The path of any item: "cluster.network[].size" of "cluster.network[2].size".
std::string any_item_path(const std::string& path);

/// The source of a figure: the comment on its line, for a list too; "" if there is none.
std::string source_comment(const dsl::Slot& slot);

/// The comment lines at the top of a file as one line, without '#'; "" if there are none.
std::string leading_comment(std::string_view text);

}  // namespace cli
