// Operators put into small blocks by hand: order, readers, covers, forward links and results.
#include "planner/workload/insert.h"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

using planner::Block;
using planner::Inserter;
using planner::kInput;
using planner::kKept;
using planner::StepPhase;
using planner::WorkOp;

namespace {

WorkOp op(const std::string& name, planner::Numbers inputs = {}, StepPhase phase = StepPhase::forward) {
  WorkOp w;
  w.name = name;
  w.phase = phase;
  w.inputs = std::move(inputs);
  return w;
}

/// a -> b -> c, whose last leaves the block; then their gradients C -> B -> A.
Block chain() {
  Block block;
  block.ops = {op("a", {kInput}),
               op("b", {0}),
               op("c", {1}),
               op("C", {kInput}, StepPhase::backward),
               op("B", {3}, StepPhase::backward),
               op("A", {4}, StepPhase::backward)};
  block.ops[2].result = block.ops[5].result = true;
  for (int i = 3; i < 6; ++i) block.ops[static_cast<size_t>(i)].forward = 5 - i;
  block.ops[4].cover = 5;
  return block;
}

/// "a(input) b(a) c(b)!": operators in order, what each reads, and a mark behind those that leave the block.
std::string text(const Block& block) {
  const auto called = [&](int i) {
    return i == kInput  ? std::string("input")
           : i == kKept ? std::string("kept")
                        : block.ops[static_cast<size_t>(i)].name.str();
  };
  std::string out;
  for (const WorkOp& w : block.ops) {
    out += (out.empty() ? "" : " ") + w.name.str() + "(";
    for (size_t i = 0; i < w.inputs.size(); ++i) out += (i > 0 ? "," : "") + called(w.inputs[i]);
    out += w.result ? ")!" : ")";
  }
  return out;
}

/// Covers and forward links still lead to operators of the same names.
void check_links(const Block& block) {
  for (const WorkOp& w : block.ops) {
    const auto at = [&](int i) { return block.ops[static_cast<size_t>(i)].name; };
    if (w.name == "A") CHECK(at(w.forward) == "a");
    if (w.name == "B") CHECK(at(w.forward) == "b");
    if (w.name == "C") CHECK(at(w.forward) == "c");
    if (w.name == "B") CHECK(at(w.cover) == "A");
  }
}

struct Row {
  const char* what;
  void (*insert)(Inserter&);
  const char* expected;
};

}  // namespace

TEST_CASE("insertions into a chain keep its order and lead readers to what is new") {
  const std::vector<Row> rows{
      {"nothing", [](Inserter&) {}, "a(input) b(a) c(b)! C(input) B(C) A(B)!"},
      {"before one", [](Inserter& in) { in.before({1}, op("x"), 1); }, "a(input) x(a) b(x) c(b)! C(input) B(C) A(B)!"},
      {"before the first", [](Inserter& in) { in.before({0}, op("x"), 0); },
       "x(input) a(x) b(a) c(b)! C(input) B(C) A(B)!"},
      {"after one", [](Inserter& in) { in.after({0}, op("x"), 0); }, "a(input) x(a) b(x) c(b)! C(input) B(C) A(B)!"},
      {"after a result", [](Inserter& in) { in.after({2}, op("x"), 2); },
       "a(input) b(a) c(b) x(c)! C(input) B(C) A(B)!"},
      {"behind all", [](Inserter& in) { in.after({0}, op("x")); }, "a(input) b(x) c(b)! C(input) B(C) A(B)! x(a)"},
      {"appended alone", [](Inserter& in) { in.add(op("x", {1})); }, "a(input) b(a) c(b)! C(input) B(C) A(B)! x(b)"},
      {"two behind one, in order",
       [](Inserter& in) {
         in.add(op("x", {0}), 0);
         in.add(op("y", {0}), 0);
       },
       "a(input) x(a) y(a) b(a) c(b)! C(input) B(C) A(B)!"},
      {"behind one that is new", [](Inserter& in) { in.after({in.after({0}, op("x"), 0)}, op("y"), 6); },
       "a(input) x(a) y(x) b(y) c(b)! C(input) B(C) A(B)!"},
      {"side by side",
       [](Inserter& in) {
         in.after_each({1}, {op("x"), op("y")});
       },
       "a(input) b(a) c(x,y)! C(input) B(C) A(B)! x(b) y(b)"},
      {"side by side before",
       [](Inserter& in) {
         in.before_each({1}, {op("x"), op("y")});
       },
       "a(input) b(x,y) c(b)! C(input) B(C) A(B)! x(a) y(a)"},
      {"first of forward", [](Inserter& in) { in.add_first(op("x")); },
       "a(input,x) b(a) c(b)! C(input) B(C) A(B)! x()"},
      {"first of backward", [](Inserter& in) { in.add_first(op("x", {}, StepPhase::backward)); },
       "a(input) b(a) c(b)! C(input,x) B(C) A(B)! x()"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    Block block = chain();
    Inserter in(block);
    row.insert(in);
    in.finish();
    CHECK(text(block) == row.expected);
    check_links(block);
  }
}

TEST_CASE("what is taken out hands its inputs to its readers") {
  Block block = chain();
  planner::remove_ops(block, {false, true, false, false, false, false});
  CHECK(text(block) == "a(input) c(a)! C(input) B(C) A(B)!");
  CHECK(block.ops[3].cover == 4);
  CHECK(block.ops[3].forward == -1);
  CHECK(block.ops[2].forward == 1);
}

TEST_CASE("random insertions leave the order and the edges of a list of names") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    Block block = chain();
    // The model: names in order, of new ones behind each old one in the order of their insertion.
    std::vector<std::vector<std::string>> before(6), behind(6);
    Inserter in(block);
    std::string reads = "a";
    for (int i = 0; i < 8; ++i) {
      const int at = static_cast<int>(random() % 6);
      const std::string name = "n" + std::to_string(i);
      if (random() % 2 == 0) {
        in.add(op(name, {at}), at);
        behind[static_cast<size_t>(at)].push_back(name);
      } else {
        in.before({1}, op(name), at);
        before[static_cast<size_t>(at)].push_back(name);
        reads = name;
      }
    }
    in.finish();
    const std::string old = "abcCBA";
    std::vector<std::string> expected, found;
    for (size_t i = 0; i < 6; ++i) {
      expected.insert(expected.end(), before[i].begin(), before[i].end());
      expected.push_back(old.substr(i, 1));
      expected.insert(expected.end(), behind[i].begin(), behind[i].end());
    }
    for (const WorkOp& w : block.ops) {
      found.push_back(w.name);
      if (w.name != "b") continue;
      REQUIRE(w.inputs.size() == 1);
      CHECK(block.ops[static_cast<size_t>(w.inputs[0])].name.str() == reads);
    }
    CHECK(found == expected);
    check_links(block);
  }
}
