#include "cli/pages/execution_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "cli/report/row_fields.h"
#include "planner/trace/dependencies.h"

namespace cli {
namespace {

using planner::trace::Execution;
using planner::trace::ExecutionNode;
using planner::trace::NodeType;

/// ExecutionSums over the nodes of a file.
struct ExecutionSums {
  explicit ExecutionSums(const Execution& execution)
      : file(execution.file),
        schema(execution.schema),
        nodes(std::ssize(execution.nodes)),
        tensors(std::ssize(planner::trace::tensor_dependencies(execution))) {
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

  std::string file, schema;
  int64_t nodes;
  std::array<int64_t, 8> types{};
  int64_t edges = 0, ns = 0, bytes = 0;
  int64_t missing = 0, tensors = 0;
  std::map<std::string, int64_t> collectives;  // by name; "": the trace does not say which
};

template <NodeType... types> int64_t nodes_of(const ExecutionSums& s) { return (s.of(types) + ...); }

RowFields<ExecutionSums> file_fields() {
  using Sums = ExecutionSums;
  return {{"file", &Sums::file},
          {"schema", &Sums::schema, Unit::text, "", 4},
          {"nodes", &Sums::nodes, Unit::count},
          {"compute", nodes_of<NodeType::compute>, Unit::count},
          {"memory", nodes_of<NodeType::load, NodeType::store>, Unit::count, "", 5},
          {"collectives", nodes_of<NodeType::collective>, Unit::count},
          {"sends", nodes_of<NodeType::send>, Unit::count, "", 1},
          {"receives", nodes_of<NodeType::receive>, Unit::count, "", 1},
          {"dependencies", &Sums::edges, Unit::count, "", 3},
          {"missing", &Sums::missing, Unit::count, "on missing nodes", 4},
          {"tensor_dependencies", &Sums::tensors, Unit::count, "by tensors", 4},
          {"seconds", [](const Sums& s) { return static_cast<double>(s.ns) * 1e-9; }, Unit::seconds, "sum of times", 2},
          {"bytes", &Sums::bytes, Unit::bytes, "handed over", 2}};
}

Table collectives(const std::vector<ExecutionSums>& files) {
  Table table{.title = "Collectives", .columns = {{.name = "name"}, {.name = "nodes", .unit = Unit::count}}};
  std::map<std::string, int64_t> all;
  for (const ExecutionSums& sums : files)
    for (const auto& [name, count] : sums.collectives) all[name] += count;
  for (const auto& [name, count] : all) table.rows.push_back({name.empty() ? "not said" : name, count});
  return table;
}

/// When each rank is done, on the requested machine.
Table ends(const planner::replay::Executed& executed) {
  const auto end = [&](size_t rank) { return static_cast<double>(executed.ends_ns[rank]) * 1e-9; };
  const RowFields<size_t> fields{{"rank", std::identity(), Unit::count},
                                 {"end_seconds", end, Unit::seconds, "done after"}};
  return fields.table(places(executed.ends_ns.size()), "Executed");
}

}  // namespace

Report execution_report(const std::vector<Execution>& executions, const planner::replay::Executed* executed) {
  std::vector<ExecutionSums> sums;
  for (const Execution& execution : executions) sums.emplace_back(execution);
  const Table files = file_fields().table(sums, "Execution traces"), which = collectives(sums);
  const Table done = executed ? ends(*executed) : Table{};
  Report report{.format = "trainplan.execution/1",
                .document = {{"files", {}}, {"collectives", rows_of(which)}, {"executed", rows_of(done)}},
                .key = "files",
                .table = files,
                .text = {files}};
  if (!which.rows.empty()) report.text.emplace_back(which);
  if (!done.rows.empty()) report.text.emplace_back(done);
  return report;
}

}  // namespace cli
