#include "dsl/catalog.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "dsl/embedded.h"
#include "dsl/read_builtin.h"
#include "dsl/read_text.h"

namespace dsl {
namespace {

namespace fs = std::filesystem;

bool is_same_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  return fs::equivalent(a, b, error) && !error;
}

// A main file is recognised by its sections, which no catalogue entry has.
bool is_main_file(std::string_view text, const Vocabulary& vocabulary) {
  for (const char* section : vocabulary.main_sections) {
    const std::string key = std::string(section) + ":";
    for (size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1))
      if (at == 0 || text[at - 1] == '\n') return true;
  }
  return false;
}

const Source* open_path(const fs::path& given, Sources& sources, std::string& why, size_t most = ParseLimits{}.bytes) {
  const fs::path path = given.lexically_normal();  // "./a.yaml" is shown, and compared, as "a.yaml"
  if (!is_text_file(path.string())) {
    why = "no file '" + path.string() + "'";
    return nullptr;
  }
  std::string reason;
  std::optional<std::string> text = read_file(path.string(), most, reason);
  if (!text) {
    why = "cannot read '" + path.string() + "': " + reason;
    return nullptr;
  }
  const EmbeddedFile* embedded = find_embedded(path.string());
  return &sources.emplace_back(
      Source{path.string(), *std::move(text), embedded ? embedded_folder(*embedded) : path.parent_path().string()});
}

/// An example needs no folder before its name.
fs::path path_of(const std::string& directory, const std::string& name) {
  return is_embedded(name) ? fs::path(name) : fs::path(directory) / name;
}

// A file found by name, not by path: only if it can be of this kind. `why` is unchanged if there is none.
const Source* open_if_kind(const fs::path& path, std::string_view kind, const Vocabulary& vocabulary, Sources& sources,
                           std::string& why) {
  if (!is_text_file(path.string())) return nullptr;
  const Source* source = open_path(path, sources, why);
  if (source && kind != vocabulary.main_kind && is_main_file(source->text, vocabulary)) {
    sources.pop_back();
    return nullptr;
  }
  return source;
}

bool is_builtin(const Source* source) { return source && source->name.starts_with("catalog:"); }

const Source* open_builtin(const Catalog& catalog, std::string_view kind, std::string_view name) {
  const BuiltinCatalog& builtin = catalog.builtin;
  for (size_t i = 0; i < builtin.files.size(); ++i) {
    const BuiltinFile& file = builtin.files[i];
    if (file.kind == kind && file.name == name)
      return &read_builtin("catalog:" + builtin.vocabulary.folder_of(kind) + "/" + std::string(name) + ".yaml",
                           file.text, builtin.trees.empty() ? std::string_view() : builtin.trees[i]);
  }
  return nullptr;
}

}  // namespace

const Source* find_source(const Catalog& catalog, std::string_view kind, const std::string& name,
                          const std::string& directory, Sources& sources, std::string& why, const Source* naming) {
  why.clear();
  if (name.find('\0') != std::string::npos || name.empty() || name.size() > 1000) {
    why = "not a name of a " + std::string(kind);
    return nullptr;
  }
  if (name.find('/') != std::string::npos || name.ends_with(".yaml") || is_embedded(name))
    return open_path(path_of(directory, name), sources, why);
  const Vocabulary& words = catalog.builtin.vocabulary;
  const std::string file = name + ".yaml";
  const fs::path beside = fs::path(directory) / file;
  if (!is_builtin(naming) && !(naming && is_same_file(beside, naming->name)))
    if (const Source* source = open_if_kind(beside, kind, words, sources, why); source || !why.empty()) return source;
  for (const std::string& root : catalog.directories)
    for (const fs::path& path : {fs::path(root) / words.folder_of(kind) / file, fs::path(root) / file})
      if (!naming || !is_same_file(path, naming->name))
        if (const Source* source = open_if_kind(path, kind, words, sources, why); source || !why.empty()) return source;
  if (const Source* source = open_builtin(catalog, kind, name)) return source;
  if (const std::string_view entry = words.entry_of(kind, name); entry != name)
    return find_source(catalog, kind, std::string(entry), directory, sources, why, naming);
  why = "no " + std::string(kind) + " named '" + name + "'";
  return nullptr;
}

const Source* open_file(const std::string& name, const std::string& inside, const std::string& directory,
                        Sources& sources, std::string& why, size_t most) {
  fs::path path = path_of(directory, name);
  std::error_code error;
  if (fs::is_directory(path, error) && inside.empty()) {
    why = "'" + path.lexically_normal().string() + "' is a directory";
    return nullptr;
  }
  if (fs::is_directory(path, error)) path /= inside;
  return open_path(path, sources, why, most);
}

std::vector<std::string> catalog_names(const Catalog& catalog, std::string_view kind) {
  std::set<std::string> names;
  for (const BuiltinFile& file : catalog.builtin)
    if (file.kind == kind) names.emplace(file.name);
  for (const std::string& root : catalog.directories) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(fs::path(root) / catalog.builtin.vocabulary.folder_of(kind), error))
      if (entry.path().extension() == ".yaml") names.insert(entry.path().stem().string());
  }
  return {names.begin(), names.end()};
}

}  // namespace dsl
