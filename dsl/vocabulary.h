// The program's names for its files and their keys: the language itself has none of them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dsl {

/// A kind of catalogue file ("disc") and the folder that holds such files ("discs").
struct FileKind {
  std::string_view kind, folder;
};

/// Several names in one text: "sugar, honey".
std::vector<std::string_view> names_in(std::string_view list);

/// Other programs' name of a key, a name or a word of a field, and the name here: for hints.
struct OtherName {
  std::string_view said;         // names, in small letters, '_' between their words
  std::string_view meant;        // a path ("shop.tea") or a result; with `of` what to write
  std::string_view of = {};      // a field: `said` is its value
  std::string_view advice = {};  // the whole hint, where "did you mean" is not enough
};

/// Other names of a catalogue entry, which `use:` takes where no file has them.
struct EntryAlias {
  std::string_view kind, said, name;
};

/// A word in place of a section's map: `word` alone means `{key: true}`.
struct SectionWord {
  std::string_view section, word, key;
};

/// A word by which expressions in an item of `list` name the item's own fields: "cup.size" in `shop.cups[2].price` is
/// `shop.cups[2].size`.
struct ItemWord {
  std::string_view word, list;
};

/// The program's own words, handed in wherever files are found, read and checked. The views are of constants.
struct Vocabulary {
  std::span<const FileKind> kinds = {};             // a kind without a row has a folder of its own name
  std::string_view main_kind = "main";              // of the file that `load` reads
  std::span<const char* const> main_sections = {};  // at the top of a main file, and of no other
  std::span<const char* const> other_keys = {};     // at the top of a main file, and no fields: others read them
  std::span<const SectionWord> section_words = {};  // of sections at the top of a main file
  std::span<const ItemWord> item_words = {};
  std::span<const OtherName> other_names = {};
  std::span<const EntryAlias> aliases = {};
  std::string_view override_example = "path=value";  // in messages
  std::string_view condition_example = "x <= 1";     // in messages

  std::string folder_of(std::string_view kind) const;
  /// The entry that is meant by another name of it; any other name is returned as it is.
  std::string_view entry_of(std::string_view kind, std::string_view name) const;
  /// Whether `key` at the top of a file is read before the fields (`let`, `extends`) or by others.
  bool is_special(std::string_view key) const;
  /// The row of a key or name that is unknown, or null. Case, '-' and '_' do not matter.
  const OtherName* other_name(std::string_view said) const;
  /// Returns the row for a value of the field `of`, or null.
  const OtherName* other_word(std::string_view said, std::string_view of) const;
};

/// The keys at the top of a file that the language itself reads before its fields.
std::span<const char* const> language_keys();

}  // namespace dsl
