#include "cli/pages/execution_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "planner/trace/dependencies.h"

namespace cli {
namespace {

using planner::trace::Execution;
using planner::trace::ExecutionNode;
using planner::trace::NodeType;

/// Sums over the nodes of a file.
struct Sums {
  explicit Sums(const Execution& execution) : tensors(std::ssize(planner::trace::tensor_dependencies(execution))) {
    const auto places = planner::trace::places_of(execution);
    const auto is_missing = [&](uint64_t id) { return !places.contains(id); };
    for (const ExecutionNode& node : execution.nodes) {
      missing += std::ranges::count_if(node.control, is_missing) + std::ranges::count_if(node.data, is_missing);
      ++types[static_cast<size_t>(node.type)];
      edges += static_cast<int64_t>(node.control.size() + node.data.size());
      if (node.duration_ns > 0) ns += node.duration_ns;
      if (node.type == NodeType::send || node.type == NodeType::collective) bytes += std::max<int64_t>(0, node.bytes);
      if (node.type == NodeType::collective) ++collectives[planner::trace::collective_name(node.collective)];
    }
  }
  int64_t of(NodeType type) const { return types[static_cast<size_t>(type)]; }

  std::array<int64_t, 8> types{};
  int64_t edges = 0, ns = 0, bytes = 0;
  int64_t missing = 0, tensors = 0;
  std::map<std::string, int64_t> collectives;  // by name; "": the trace does not say which
};

Table rows(const std::vector<Execution>& executions) {
  Table table{.title = "Execution traces",
              .columns = {{.name = "file"},
                          {.name = "schema", .rank = 4},
                          {.name = "nodes", .unit = Unit::count},
                          {.name = "compute", .unit = Unit::count},
                          {.name = "memory", .unit = Unit::count, .rank = 5},
                          {.name = "collectives", .unit = Unit::count},
                          {.name = "sends", .unit = Unit::count, .rank = 1},
                          {.name = "receives", .unit = Unit::count, .rank = 1},
                          {.name = "dependencies", .unit = Unit::count, .rank = 3},
                          {.name = "missing", .unit = Unit::count, .rank = 4, .heading = "on missing nodes"},
                          {.name = "tensor_dependencies", .unit = Unit::count, .rank = 4, .heading = "by tensors"},
                          {.name = "seconds", .unit = Unit::seconds, .rank = 2, .heading = "sum of times"},
                          {.name = "bytes", .unit = Unit::bytes, .rank = 2, .heading = "handed over"}}};
  for (const Execution& execution : executions) {
    const Sums sums(execution);
    table.rows.push_back({execution.file, execution.schema, static_cast<int64_t>(execution.nodes.size()),
                          sums.of(NodeType::compute), sums.of(NodeType::load) + sums.of(NodeType::store),
                          sums.of(NodeType::collective), sums.of(NodeType::send), sums.of(NodeType::receive),
                          sums.edges, sums.missing, sums.tensors, static_cast<double>(sums.ns) * 1e-9, sums.bytes});
  }
  return table;
}

Table collectives(const std::vector<Execution>& executions) {
  Table table{.title = "Collectives", .columns = {{.name = "name"}, {.name = "nodes", .unit = Unit::count}}};
  std::map<std::string, int64_t> all;
  for (const Execution& execution : executions)
    for (const auto& [name, count] : Sums(execution).collectives) all[name] += count;
  for (const auto& [name, count] : all) table.rows.push_back({name.empty() ? Data("not said") : Data(name), count});
  return table;
}

/// When each rank is done, on the machine that was asked.
Table ends(const planner::replay::Executed& executed) {
  Table table{.title = "Executed",
              .columns = {{.name = "rank", .unit = Unit::count},
                          {.name = "end_seconds", .unit = Unit::seconds, .heading = "done after"}}};
  for (size_t r = 0; r < executed.ends_ns.size(); ++r)
    table.rows.push_back({static_cast<int64_t>(r), static_cast<double>(executed.ends_ns[r]) * 1e-9});
  return table;
}

}  // namespace

Report execution_report(const std::vector<Execution>& executions, const planner::replay::Executed* executed) {
  const Table files = rows(executions), which = collectives(executions);
  const Table done = executed ? ends(*executed) : Table{};
  Report report{.format = "trainplan.execution/1",
                .document = {{"files", rows_of(files)}, {"collectives", rows_of(which)}, {"executed", rows_of(done)}},
                .key = "files",
                .table = files,
                .text = {files}};
  if (!which.rows.empty()) report.text.emplace_back(which);
  if (!done.rows.empty()) report.text.emplace_back(done);
  return report;
}

}  // namespace cli
