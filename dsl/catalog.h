// Finding the files that `use:` and `extends:` name, and putting a file together.
#pragma once

#include <deque>
#include <span>
#include <string>
#include <vector>

#include "dsl/node.h"
#include "dsl/vocabulary.h"

namespace dsl {

/// One catalogue file in the binary; its kind is one of the vocabulary's.
struct BuiltinFile {
  std::string_view kind, name, text;
};

/// The files in the binary and the words that the program has for their kinds.
struct BuiltinCatalog {
  std::span<const BuiltinFile> files;
  Vocabulary vocabulary = {};
  std::span<const std::string_view> trees = {};  // of each file, as dsl/packed_tree.h writes them; or none at all
  auto begin() const { return files.begin(); }
  auto end() const { return files.end(); }
};

/// Owns every source text of a run but those of files in the binary (dsl/read_builtin.h); addresses are stable.
using Sources = std::deque<Source>;

/// The catalogue: files in the binary, and directories given by --catalog that come before them.
/// A directory holds the files flat (NAME.yaml) or in folders by kind, as the vocabulary names them.
struct Catalog {
  BuiltinCatalog builtin;
  std::vector<std::string> directories;
};

/// Text with '/' or ending in .yaml is a file, relative to `directory`. Other text is a name. It is looked up next to
/// the naming file (DIRECTORY/NAME.yaml, unless that is the naming file itself), then in the catalogue's directories,
/// then in the binary.
/// A main file is one with a top-level section that the vocabulary reserves for main files. It is never taken for an
/// entry of another kind, so that shop/tea.yaml may use the catalogue's tea.
/// Returns nullptr if there is no such file or it cannot be read (`why` holds the reason). `naming`: the naming file.
const Source* find_source(const Catalog& catalog, std::string_view kind, const std::string& name,
                          const std::string& directory, Sources& sources, std::string& why,
                          const Source* naming = nullptr);
/// Names of one kind, sorted.
std::vector<std::string> catalog_names(const Catalog& catalog, std::string_view kind);

/// Opens the file `name`, relative to `directory`; if that is a folder, the file `inside` in it. Returns nullptr on
/// failure; `why` holds the reason.
/// A file longer than `most` bytes is read up to `most` + 1 bytes, so that the caller can tell.
const Source* open_file(const std::string& name, const std::string& inside, const std::string& directory,
                        Sources& sources, std::string& why, size_t most = ParseLimits{}.bytes);

/// Another format of an entry. `use: PREFIX:PATH` reads the JSON file PATH (or PATH/`inside` if it is a folder), and
/// `convert` makes the entry from it: nodes with their places in that file. Unreadable parts are diagnosed, and the
/// result is marked `broken`.
struct Format {
  std::string prefix, inside;
  Node (*convert)(const Node& file, Diagnostics& diagnostics) = nullptr;
  std::string advice = {};  // the hint if the file does not exist
  ParseLimits limits = {};
};

/// `use:` at `path` pulls in a file of `kind`, e.g. {"shop.drive", "disc"}.
struct Pull {
  std::string path, kind;
  std::vector<Format> formats = {};
  bool by_name = false;  // the section may also hold a name alone, which is left to whoever reads the section
};

/// `--set PATH=YAML`, or the same as a file writes it. PATH*=YAML, /=, += and -= change a finished value.
struct Override {
  std::string text;  // PATH=YAML; with a node PATH alone
  Span place = {};   // where it is written, if in a file: messages point there, and names of files start there
  const Node* value = nullptr;  // what that file has for it
};

/// Parses `main`, and follows `extends:` and `use:` (also in the files pulled in; a cycle is diagnosed). Lays keys next
/// to a `use` over the pulled entry, deeply, then applies the overrides. An entry's keys are directly at the top of its
/// file. The result keeps `use` nodes.
/// An override's place is `--set:1:COL`, COL counted from the start of its text.
Node load(const Source& main, const std::vector<Override>& overrides, const std::vector<Pull>& pulls,
          const Catalog& catalog, Sources& sources, Diagnostics& diagnostics);

}  // namespace dsl
