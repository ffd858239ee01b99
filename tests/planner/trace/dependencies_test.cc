// What nodes depend on by their tensors and by their backward passes.
#include "planner/trace/dependencies.h"

#include <doctest/doctest.h>

#include "tests/planner/trace/execution_text.h"

using namespace planner::trace;
using sample::NodesText;

namespace {

/// Ids, "4>10 10>20".
std::string shown(const Execution& execution, const std::vector<Dependency>& dependencies) {
  std::string text;
  for (const Dependency& each : dependencies)
    text += (text.empty() ? "" : " ") + std::to_string(execution.nodes[each.from].id) + ">" +
            std::to_string(execution.nodes[each.to].id);
  return text;
}

std::string tensor(int64_t number, int64_t storage, const char* device = "cpu") {
  return "[" + std::to_string(number) + ", " + std::to_string(storage) + R"(, 0, 1, 4, ")" + device + R"("])";
}
std::string list(const std::string& a, const std::string& b = "") {
  return "[" + a + (b.empty() ? "" : ", " + b) + "]";
}

}  // namespace

TEST_CASE("a node depends on the last one that gave its tensor, in whatever order the file has them") {
  const Execution execution = sample::execution(sample::training().text()).value();
  // The product and its inner one take what `empty` gave, which ones called; the backward pass takes the inner one's.
  CHECK(shown(execution, tensor_dependencies(execution)) == "4>9 4>10 10>20");
  CHECK(shown(execution, backward_dependencies(execution)) == "10>20");
}

TEST_CASE("what a node runs in gave it nothing yet") {
  NodesText text;
  text.node({.id = 3, .parent = 2, .name = "inner", .inputs = list(tensor(7, 8)), .outputs = list(tensor(7, 8))});
  text.node({.id = 2, .parent = 1, .name = "outer", .outputs = list(tensor(7, 8))});
  text.node({.id = 5, .parent = 1, .name = "later", .inputs = list(tensor(7, 8))});
  text.node({.id = 1, .parent = 1, .name = "root"});
  const Execution execution = sample::execution(text.text()).value();
  CHECK(shown(execution, tensor_dependencies(execution)) == "3>5");
}

TEST_CASE("writes in place follow one another, and one node stands once") {
  NodesText text;
  text.node({.id = 1, .parent = 1, .name = "root"});
  text.node({.id = 2, .parent = 1, .name = "fill", .outputs = list(tensor(7, 8), tensor(9, 9))});
  text.node({.id = 3, .parent = 1, .name = "add_", .inputs = list(tensor(7, 8)), .outputs = list(tensor(7, 8))});
  text.node({.id = 4, .parent = 1, .name = "add", .inputs = list(tensor(7, 8), tensor(9, 9))});
  text.node({.id = 5, .parent = 1, .name = "cat", .inputs = list(tensor(9, 9), list(tensor(9, 9)))});
  const Execution execution = sample::execution(text.text()).value();
  CHECK(shown(execution, tensor_dependencies(execution)) == "2>3 2>4 3>4 2>5");
}

TEST_CASE("a number that is used again with another storage is another tensor, and one never filled is none") {
  NodesText text;
  text.node({.id = 1, .parent = 1, .name = "root"});
  text.node({.id = 2, .parent = 1, .name = "a", .outputs = list(tensor(7, 8), tensor(5, 0, ""))});
  text.node({.id = 3, .parent = 1, .name = "b", .inputs = list(tensor(7, 9), tensor(5, 0, ""))});
  const Execution execution = sample::execution(text.text()).value();
  CHECK(tensor_dependencies(execution).empty());
}

TEST_CASE("a backward pass is of the last operator with its number in its forward thread") {
  NodesText text;
  text.node({.id = 1, .parent = 1, .name = "root"});
  text.node({.id = 2, .parent = 1, .name = "other thread", .sequence = 5, .thread = 3});
  text.node({.id = 3, .parent = 1, .name = "outer", .sequence = 5});
  text.node({.id = 4, .parent = 3, .name = "inner", .sequence = 5});
  text.node({.id = 5, .parent = 1, .name = "B", .sequence = 5, .scope = 1, .thread = 2, .forward_thread = 1});
  text.node({.id = 6, .parent = 1, .name = "C", .sequence = 6, .scope = 1, .thread = 2, .forward_thread = 1});
  text.node({.id = 7, .parent = 1, .name = "D", .sequence = 5, .scope = 1, .thread = 2});
  text.node({.id = 8, .parent = 1, .name = "later", .sequence = 6});
  const Execution execution = sample::execution(text.text()).value();
  CHECK(shown(execution, backward_dependencies(execution)) == "4>5");
}

TEST_CASE("nodes that call one another in a circle end, too") {
  NodesText text;
  text.node({.id = 2, .parent = 3, .name = "a", .outputs = list(tensor(7, 8))});
  text.node({.id = 3, .parent = 2, .name = "b", .inputs = list(tensor(7, 8)), .outputs = list(tensor(7, 8))});
  text.node({.id = 4, .parent = 4, .name = "c", .inputs = list(tensor(7, 8))});
  const Execution execution = sample::execution(text.text()).value();
  CHECK(shown(execution, tensor_dependencies(execution)) == "3>4");
}
