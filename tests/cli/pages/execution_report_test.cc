// What the page of execution traces counts.
#include "cli/pages/execution_report.h"

#include <doctest/doctest.h>

using planner::trace::Execution;
using planner::trace::ExecutionNode;
using planner::trace::NodeType;

namespace {

ExecutionNode node(NodeType type, int64_t bytes = -1, int64_t collective = -1) {
  ExecutionNode made;
  made.type = type;
  made.bytes = bytes;
  made.collective = collective;
  return made;
}

Execution two_steps_of_a_ring() {
  Execution execution;
  execution.file = "ring.0.et";
  execution.schema = "0.0.4";
  for (int i = 0; i < 2; ++i) {
    execution.nodes.push_back(node(NodeType::send, 64));
    execution.nodes.push_back(node(NodeType::receive, 64));
    execution.nodes.push_back(node(NodeType::compute));
    execution.nodes.back().data = {1, 2};
    execution.nodes.back().control = {3};
    execution.nodes.back().duration_ns = 7000;
  }
  execution.nodes.push_back(node(NodeType::load));
  return execution;
}

Execution collectives() {
  Execution execution;
  execution.file = "collectives.et";
  execution.nodes = {node(NodeType::collective, 1024, 0), node(NodeType::collective, 1024, 7),
                     node(NodeType::collective, 8, 0), node(NodeType::collective), node(NodeType::collective, 8, 99)};
  return execution;
}

const cli::Data& cell(const cli::Table& table, size_t row, const char* name) {
  for (size_t i = 0; i < table.columns.size(); ++i)
    if (table.columns[i].name == name) return table.rows[row][i];
  FAIL("no column " << name);
  return table.rows[row][0];
}

}  // namespace

TEST_CASE("each file's nodes are counted by what they are, with what depends, takes time and is handed over") {
  const cli::Report report = cli::execution_report({two_steps_of_a_ring(), collectives()});
  const struct {
    const char* column;
    double first, second;
  } rows[] = {{"nodes", 7, 5},       {"compute", 2, 0},   {"memory", 1, 0},       {"collectives", 0, 5},
              {"sends", 2, 0},       {"receives", 2, 0},  {"dependencies", 6, 0}, {"missing", 6, 0},
              {"seconds", 14e-6, 0}, {"bytes", 128, 2064}};
  for (const auto& row : rows) {
    CAPTURE(row.column);
    CHECK(cell(report.table, 0, row.column).number() == doctest::Approx(row.first));
    CHECK(cell(report.table, 1, row.column).number() == doctest::Approx(row.second));
  }
  CHECK(*cell(report.table, 0, "file").text() == "ring.0.et");
  CHECK(*cell(report.table, 0, "schema").text() == "0.0.4");
}

TEST_CASE("collectives are counted by name over all files; of some no trace says which they are") {
  const cli::Report report = cli::execution_report({collectives(), collectives()});
  REQUIRE(report.text.size() == 2);
  const auto& table = std::get<cli::Table>(report.text[1]);
  std::string text;
  for (const auto& row : table.rows)
    text += *row[0].text() + " " + std::to_string(static_cast<int>(*row[1].number())) + "\n";
  CHECK(text == "not said 4\nall-reduce 4\nreduce-scatter 2\n");
  CHECK(cli::execution_report({two_steps_of_a_ring()}).text.size() == 1);
}

TEST_CASE("types and collectives have names") {
  CHECK(std::string(name_of(NodeType::compute)) == "compute");
  CHECK(std::string(name_of(NodeType::collective)) == "collective");
  CHECK(std::string(planner::trace::collective_name(6)) == "all-to-all");
  CHECK(std::string(planner::trace::collective_name(-1)).empty());
  CHECK(std::string(planner::trace::collective_name(10)).empty());
}
