#include "cli/pages/graph_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/report/facts.h"
#include "dsl/quoting.h"
#include "planner/workload/graph.h"

namespace cli {
namespace {

using planner::BlockGraph;
using planner::CostedWorkload;
using planner::PassPath;
using planner::SideBySide;
using planner::WorkOp;

const WorkOp& op_of(const planner::Block& block, int number) { return block.ops[static_cast<size_t>(number)]; }

bool is_critical(const BlockGraph& graph, size_t number) {
  const auto is_on = [at = static_cast<int>(number)](const PassPath& pass) {
    return std::ranges::count(pass.path.ops, at) > 0;
  };
  return is_on(graph.forward) || is_on(graph.backward);
}

/// What the report has of all blocks.
struct GraphTables {
  Table passes{.title = "Passes of one microbatch",
               .columns = {{.name = "layer"},
                           {.name = "pass"},
                           {.name = "operators", .unit = Unit::count, .rank = 1},
                           {.name = "seconds", .unit = Unit::seconds, .heading = "time"},
                           {.name = "path_seconds", .unit = Unit::seconds, .heading = "critical path"},
                           {.name = "parallelism", .unit = Unit::number}}};
  Table path{.title = "Critical paths",
             .columns = {{.name = "layer"},
                         {.name = "pass"},
                         {.name = "number", .unit = Unit::count, .rank = 2},
                         {.name = "name"},
                         {.name = "phase", .rank = 1},
                         {.name = "seconds", .unit = Unit::seconds, .heading = "time"},
                         {.name = "share", .unit = Unit::fraction}}};
  Table groups{.title = "Side by side",
               .columns = {{.name = "layer"},
                           {.name = "phase"},
                           {.name = "operators"},
                           {.name = "seconds", .unit = Unit::seconds, .heading = "in a row"},
                           {.name = "longest_seconds", .unit = Unit::seconds, .heading = "longest"}}};
  Data::List operators = {};  // JSON alone has them
};

void add_pass(GraphTables& tables, const planner::Block& block, const BlockGraph& graph, const PassPath& pass,
              const char* name, bool forward) {
  if (pass.seconds == 0) return;
  const auto of_pass = [&](const WorkOp& op) { return (op.phase == planner::StepPhase::forward) == forward; };
  const auto operators = static_cast<int64_t>(std::ranges::count_if(block.ops, of_pass));
  tables.passes.rows.push_back(
      {block.name.str(), name, operators, pass.seconds, pass.path.seconds, pass.parallelism()});
  for (int number : pass.path.ops) {
    const double seconds = graph.seconds[static_cast<size_t>(number)];
    const WorkOp& op = op_of(block, number);
    if (of_pass(op))
      tables.path.rows.push_back({block.name.str(), name, number, op.name.str(), planner::name(op.phase), seconds,
                                  seconds / pass.path.seconds});
  }
}

void add_group(GraphTables& tables, const planner::Block& block, const SideBySide& group) {
  Data::List names;
  for (int number : group.ops) names.emplace_back(op_of(block, number).name.str());
  tables.groups.rows.push_back({block.name.str(), planner::name(group.phase), names, group.seconds, group.longest});
}

void add_operators(GraphTables& tables, const planner::Block& block, const BlockGraph& graph) {
  for (size_t i = 0; i < block.ops.size(); ++i) {
    Data::List reads;
    for (int input : block.ops[i].inputs)
      if (input >= 0) reads.emplace_back(input);
    tables.operators.emplace_back(Data::Object{{"layer", block.name.str()},
                                               {"number", static_cast<int64_t>(i)},
                                               {"name", block.ops[i].name.str()},
                                               {"phase", planner::name(block.ops[i].phase)},
                                               {"seconds", graph.seconds[i]},
                                               {"critical", is_critical(graph, i)},
                                               {"reads", std::move(reads)}});
  }
}

// Graphviz: a cluster for each block, the critical paths drawn bold, transfers dashed.
std::string dot_of(const planner::Block& block, const planner::CostedBlock& costed, const BlockGraph& graph,
                   size_t number) {
  std::string text = fmt::format("  subgraph cluster_{} {{\n    label={};\n", number, dsl::dot_text(block.name.str()));
  for (size_t i = 0; i < block.ops.size(); ++i)
    text +=
        fmt::format("    n{}_{} [label={}{}{}];\n", number, i,
                    dsl::dot_text(fmt::format("{} ({})\n{}", block.ops[i].name.str(), name(block.ops[i].phase),
                                              figure(graph.seconds[i], Unit::seconds))),
                    costed.ops[i].communication ? ", style=dashed" : "", is_critical(graph, i) ? ", penwidth=3" : "");
  for (size_t i = 0; i < block.ops.size(); ++i)
    for (int input : block.ops[i].inputs)
      if (input >= 0) text += fmt::format("    n{}_{} -> n{}_{};\n", number, input, number, i);
  return text + "  }\n";
}

std::string drawn(const CostedWorkload& costed) {
  std::string text = "digraph step {\n  node [shape=box];\n";
  for (size_t i = 0; i < costed.blocks.size(); ++i) {
    const planner::Block& block = costed.workload.blocks[i];
    text += dot_of(block, costed.blocks[i], planner::graph_of(costed.blocks[i], block.ops), i);
  }
  return text + "}\n";
}

}  // namespace

Report graph_report(const CostedWorkload& costed) {
  GraphTables tables;
  for (size_t i = 0; i < costed.blocks.size(); ++i) {
    const planner::Block& block = costed.workload.blocks[i];
    const BlockGraph graph = planner::graph_of(costed.blocks[i], block.ops);
    add_pass(tables, block, graph, graph.forward, "forward", true);
    add_pass(tables, block, graph, graph.backward, "backward", false);
    for (const SideBySide& group : graph.groups) add_group(tables, block, group);
    add_operators(tables, block, graph);
  }
  Report report{.format = "trainplan.ops-graph/1",
                .document = {{"passes", rows_of(tables.passes)},
                             {"path", {}},
                             {"side_by_side", rows_of(tables.groups)},
                             {"operators", tables.operators}},
                .key = "path",
                .table = tables.path,
                .text = {tables.passes, tables.path}};
  add_tables({tables.groups}, report.text);
  report.graph = [&costed] { return drawn(costed); };
  return report;
}

}  // namespace cli
