#include "dsl/entry_users.h"

#include <algorithm>

#include "dsl/node_path.h"
#include "dsl/read_builtin.h"
#include "dsl/similar.h"

namespace dsl {
namespace {

constexpr int kDeepest = 32;  // files that extend each other

// What the entry, or the nearest that it extends, pulls in at the path; "" for nothing.
std::string used_by(const Catalog& catalog, std::string_view kind, std::string name, std::string_view path,
                    Sources& sources) {
  for (int i = 0; i < kDeepest && !name.empty(); ++i) {
    std::string why;
    const Source* source = find_source(catalog, kind, name, "/", sources, why);
    if (!source) return "";
    Diagnostics ignored;
    const Node tree = tree_of(*source, ignored);
    if (const Node* use = node_at(tree, std::string(path) + ".use")) return use->text;
    const Node* extends = node_at(tree, "extends");
    name = extends ? extends->text : "";
  }
  return "";
}

}  // namespace

std::vector<std::string> entry_users(const Catalog& catalog, std::string_view kind, std::string_view path,
                                     const EntryName& used, std::string_view said, Sources& sources) {
  std::vector<std::string> found;
  for (const std::string& name : catalog_names(catalog, kind)) {
    const std::string its = used_by(catalog, kind, name, path, sources);
    if (catalog.builtin.vocabulary.entry_of(used.kind, its) == used.name) found.push_back(name);
  }
  std::stable_partition(found.begin(), found.end(), [&](const std::string& name) { return has_words(name, said); });
  return found;
}

}  // namespace dsl
