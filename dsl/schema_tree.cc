#include "dsl/schema_tree.h"

#include <algorithm>

#include "dsl/node_path.h"

namespace dsl {

std::string path_below(std::string_view path, std::string_view key) {
  std::string out;
  out.reserve(path.size() + 1 + key.size());
  if (!path.empty()) out.append(path).push_back('.');
  return out.append(key);
}

const SchemaNode* SchemaNode::find(std::string_view key) const {
  for (const SchemaNode& c : children)
    if (c.name == key) return &c;
  return nullptr;
}

SchemaNode schema_tree(const Schema& schema) {
  SchemaNode root;
  for (const Field& field : schema) {
    SchemaNode* at = &root;
    std::string_view rest = field.path;
    while (!rest.empty()) {
      std::string_view step = next_step(rest);
      const bool is_list = step.ends_with("[]");
      if (is_list) step.remove_suffix(2);
      // Fields of a section stand together: the last child is the one, more often than not.
      const auto it =
          std::find_if(at->children.rbegin(), at->children.rend(), [&](const SchemaNode& c) { return c.name == step; });
      at = it != at->children.rend() ? &*it
                                     : &at->children.emplace_back(SchemaNode{std::string(step), nullptr, is_list, {}});
    }
    at->field = &field;
  }
  return root;
}

}  // namespace dsl
