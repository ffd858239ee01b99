// What the program calls its files and their keys: the language itself has words for none of it.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace dsl {

/// A kind of catalogue file ("disc") and the folder that holds such files ("discs").
struct FileKind {
  std::string_view kind, folder;
};

/// The program's own words, handed in wherever files are found, read and checked. The views are of constants.
struct Vocabulary {
  std::span<const FileKind> kinds = {};              // a kind without a row has a folder of its own name
  std::string_view main_kind = "main";               // of the file that `load` reads
  std::span<const char* const> main_sections = {};   // at the top of a main file, and of no other
  std::span<const char* const> other_keys = {};      // at the top of a main file, and no fields: others read them
  std::string_view override_example = "path=value";  // in messages
  std::string_view condition_example = "x <= 1";     // in messages

  std::string folder_of(std::string_view kind) const;
  /// Whether `key` at the top of a file is read before the fields (`let`, `extends`) or by others.
  bool is_special(std::string_view key) const;
};

/// The keys at the top of a file that the language itself reads before its fields.
std::span<const char* const> language_keys();

}  // namespace dsl
