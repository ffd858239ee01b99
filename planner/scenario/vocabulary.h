// The program's own words in the language: kinds of catalogue files, and keys of a scenario that are not fields.
#pragma once

#include "dsl/catalog.h"

namespace planner {

/// A new kind of file, or a new reader of a scenario's top, is a row in vocabulary.cc.
const dsl::Vocabulary& vocabulary();

/// The files that the build embeds (cmake/embed_catalog.cmake writes this function), sorted by kind and name.
std::span<const dsl::BuiltinFile> builtin_files();
/// The tree of each (cmake/pack_catalog.cc writes this function), as dsl::BuiltinCatalog takes them.
std::span<const std::string_view> builtin_trees();

}  // namespace planner
