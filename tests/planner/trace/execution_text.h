// Execution traces for tests, node by node, as PyTorch writes them in two schemas; and what a reader makes of a text.
#pragma once

#include <string>

#include "planner/trace/readers.h"
#include "tests/planner/trace/kineto_text.h"

namespace sample {

/// A node; lists as JSON text.
struct Node {
  int64_t id = 0, parent = 0;
  std::string name;
  std::string inputs = "[]", outputs = "[]", shapes = "[]";
  int64_t sequence = -1, scope = 0, thread = 1, forward_thread = 0;
};

class NodesText {
 public:
  enum class Schema { members, attributes };  // 1.0.1, 1.1.0-chakra.0.0.4

  explicit NodesText(Schema schema = Schema::members, int64_t process = 100);
  NodesText& node(const Node& node);
  NodesText& raw(const std::string& node);
  std::string text() const { return text_ + "]}"; }

 private:
  Schema schema_;
  std::string text_;
};

/// What `read_any` makes of an execution trace; messages, one per line, in `messages`.
std::optional<planner::trace::Execution> execution(const std::string& text, std::string* messages = nullptr,
                                                   bool skip_broken = false, size_t piece = 1 << 16);

/// A training step in two threads: an input, a product, its backward pass.
NodesText training(NodesText::Schema schema = NodesText::Schema::members, int64_t process = 100);

}  // namespace sample
