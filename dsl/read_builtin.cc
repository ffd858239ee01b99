#include "dsl/read_builtin.h"

#include <map>
#include <memory>
#include <mutex>

#include "dsl/packed_tree.h"

namespace dsl {
namespace {

struct Parsed {
  Source source;
  std::string_view packed;  // empty: the tree is below
  Diagnostics diagnostics;
  Node tree;  // after all: its spans point to `source`

  Parsed(Source read, std::string_view packed) : source(std::move(read)), packed(packed) {
    if (packed.empty()) tree = parse_yaml(source, diagnostics);
  }
  Parsed(const Parsed&) = delete;
};

// A memo of a pure function of built-in texts: no result depends on earlier lookups.
class BuiltinMemo {
 public:
  const Source& read(const std::string& name, std::string_view text, std::string_view packed) {
    const std::lock_guard lock(mutex_);
    for (auto [at, end] = by_name_.equal_range(name); at != end; ++at)
      if (at->second->text == text) return *at->second;
    auto parsed = std::make_unique<const Parsed>(Source{name, std::string(text), ""}, packed);
    const Source* source = &parsed->source;
    by_name_.emplace(name, source);
    kept_.emplace(source, std::move(parsed));
    return *source;
  }
  /// Null for a source that did not come from `read`.
  const Parsed* find(const Source& source) {
    const std::lock_guard lock(mutex_);
    const auto at = kept_.find(&source);
    return at == kept_.end() ? nullptr : at->second.get();
  }

 private:
  std::mutex mutex_;
  std::multimap<std::string, const Source*> by_name_;  // several texts of a name: catalogues of tests
  std::map<const Source*, std::unique_ptr<const Parsed>> kept_;
};

BuiltinMemo& memo() {
  static BuiltinMemo files;
  return files;
}

// The text without mistakes that this thread parsed last: a scenario is read again with other overrides, and without
// what it uses. A source that another has taken the place of has the same spans where it has the same text.
struct LastParsed {
  const Source* source = nullptr;
  std::string text;
  Node tree;
};

Node parse_again(const Source& source, Diagnostics& diagnostics) {
  thread_local LastParsed last;
  if (last.source == &source && last.text == source.text) return last.tree;
  Diagnostics told;
  Node tree = parse_yaml(source, told);
  if (told.list.empty()) last = {&source, source.text, tree};
  diagnostics.append(told);
  return tree;
}

}  // namespace

const Source& read_builtin(const std::string& name, std::string_view text, std::string_view packed) {
  return memo().read(name, text, packed);
}

Node tree_of(const Source& source, Diagnostics& diagnostics) {
  const Parsed* parsed = memo().find(source);
  if (!parsed) return parse_again(source, diagnostics);
  if (!parsed->packed.empty()) return unpack_tree(parsed->packed, source);
  diagnostics.append(parsed->diagnostics);
  return parsed->tree;
}

}  // namespace dsl
