#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "operator_models/calibrate/readers.h"
#include "operator_models/models.h"

namespace operator_models {
namespace {

struct Spelling {
  const char* letters;  // without separators between words
  const char* name;
};
constexpr std::array kSpellings{
    Spelling{"allreduce", "all-reduce"},         Spelling{"allgather", "all-gather"},
    Spelling{"reducescatter", "reduce-scatter"}, Spelling{"alltoall", "all-to-all"},
    Spelling{"all2all", "all-to-all"},           Spelling{"broadcast", "broadcast"},
    Spelling{"sendrecv", "send-recv"},
};
constexpr double kTolerance = 1.05;  // above a link's datasheet rate: rounding of times, clocks of links

/// The columns of a table for the properties that every layout has.
struct CollectiveColumns {
  std::string ranks, per_node, type, time, size = "size_bytes";
};

std::string first_of(const TableColumns& columns, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (columns.has(name)) return name;
  return "";
}

/// The exchange of experts as serving engines time it: tokens of a rank, of each a copy to every rank that holds one of
/// its experts.
const std::vector<std::string_view> kExchange{"op", "dtype", "ep", "hidden_size", "topk", "num_experts", "num_tokens"};

/// Ranks that hold an expert of a token, its experts drawn evenly: all but the share of ranks that no draw meets.
double ranks_reached(double ranks, double experts, double top_k) {
  const double others = experts - experts / ranks;
  if (top_k > others) return ranks;
  const auto ways = [](double n, double k) { return std::lgamma(n + 1) - std::lgamma(n - k + 1); };
  return ranks * -std::expm1(ways(others, top_k) - ways(experts, top_k));
}

/// Bytes that one rank sends in an exchange.
std::optional<double> exchanged(RowCells cells) {
  const int64_t ranks = cells.count("ep"), width = cells.count("hidden_size"), top_k = cells.count("topk"),
                experts = cells.count("num_experts"), tokens = cells.count("num_tokens");
  if (!cells.whole()) return std::nullopt;
  const std::string& type = cells.text("dtype");
  const auto precision = precision_named(type == "bfloat16" ? "bf16" : type);
  if (!precision) cells.wrong("dtype", fmt::format("unknown precision '{}'", type));
  else if (top_k > experts) cells.wrong("topk", fmt::format("is above num_experts {}", experts));
  if (!cells.whole()) return std::nullopt;
  return real(tokens) * real(width) * operand_bytes(*precision) *
         ranks_reached(real(ranks), real(experts), real(top_k));
}

std::optional<CollectiveColumns> layout_of(const TableColumns& columns) {
  const auto time = columns.time_column({"latency", "time", "median"});
  CollectiveColumns layout{.ranks = first_of(columns, {"ranks", "num_gpus"}),
                           .per_node = first_of(columns, {"gpus_per_node", "gpus_per_node_used"}),
                           .type = first_of(columns, {"dtype", "precision", "type"}),
                           .time = time.value_or("")};
  if (columns.has_all(kExchange) && time)
    return CollectiveColumns{.ranks = "ep", .per_node = "", .type = "dtype", .time = *time, .size = "num_tokens"};
  if (columns.has_all({"op", "size_bytes"}) && !layout.ranks.empty() && time) return layout;
  columns.unknown_layout("op, ranks or num_gpus, size_bytes, a time such as time_us, and as it may be gpus_per_node");
  return std::nullopt;
}

/// Switches add floating point numbers.
bool is_integer(const std::string& type) {
  return type.starts_with("int") || type.starts_with("uint") || type == "char" || type == "uchar";
}

/// Where the ranks sit: a domain of the innermost tier may be larger than a node (racks of one NVLink).
Group group_of(int64_t ranks, int64_t per_node, const Machine& machine) {
  const hw_profiles::Tier& inner = machine.network.front();
  const bool rack = inner.size > machine.gpus_per_node;
  const int64_t inside = std::min(ranks, rack ? inner.size : per_node);
  Group group{ranks, {}};
  group.inside.resize(machine.network.size(), ranks);
  group.inside[0] = inside;
  return group;
}

/// The most bus bandwidth that the links of a layout could give.
double peak(const Operator& op, const Group& group, const Machine& machine) {
  const hw_profiles::Tier& inner = machine.network.front();
  const bool inside = group.inside[0] == group.ranks;
  double best = group.inside[0] > 1 ? inner.bandwidth.value : 0;
  if (!inside) best = std::max(best, real(group.inside[0]) * machine.network.back().bandwidth.value);
  const auto* collective = std::get_if<Collective>(&op);
  const bool reduces = collective && collective->kind == CollectiveKind::all_reduce;
  return best * (reduces && inner.reduction == hw_profiles::InNetwork::all_reduce ? 2 : 1) * kTolerance;
}

bool above_links(const MeasuredTable& table, const Operator& op, double bytes, double seconds, const Group& group,
                 dsl::Span place) {
  const auto* collective = std::get_if<Collective>(&op);
  const double factor = collective ? bus_factor(collective->kind, real(group.ranks)) : 1;
  const double rate = bytes * factor / seconds, most = peak(op, group, table.machine);
  if (rate <= most) return false;
  table.diagnostics.error(
      place,
      fmt::format("{:.4g} GB/s of bus bandwidth are above what the links of {} can give, {:.4g} GB/s", rate / 1e9,
                  table.machine.gpu.name, most / 1e9),
      "--cluster and --gpu say what was measured");
  return true;
}

/// GPUs of a node in use; all of the machine's where the data does not say.
std::optional<int64_t> ranks_of_node(const MeasuredTable& table, const CollectiveColumns& layout, size_t row,
                                     int64_t ranks) {
  if (layout.per_node.empty() || table.columns.text(row, layout.per_node).empty())
    return std::min(ranks, table.machine.gpus_per_node);
  const auto n = table.columns.count(row, layout.per_node);
  return n ? std::optional(std::min(*n, ranks)) : n;
}

Operator operator_of(const std::string& name, double bytes, const Group& group, const std::string& type) {
  if (const auto kind = collective_kind(name))
    return Collective{.kind = *kind, .bytes = {bytes}, .group = group, .in_switch = !is_integer(type)};
  // Alone in their nodes, the ranks use the adapters of one rail.
  return SendRecv{.bytes = {bytes},
                  .tier = group.inside[0] < group.ranks ? 1 : 0,
                  .along_rail = group.ranks > 1 && group.inside[0] == 1};
}

void read_collective(const MeasuredTable& table, const CollectiveColumns& layout, size_t row) {
  const TableColumns& columns = table.columns;
  const Machine& machine = table.machine;
  const std::string& op_name = columns.text(row, "op");
  const bool exchange = layout.size == "num_tokens";
  const auto name = exchange && op_name == "dispatch" ? "all-to-all" : collective_in(op_name);
  if (!name) return table.pass_over();
  const auto ranks = columns.count(row, layout.ranks);
  const auto bytes = exchange ? exchanged(table.cells(row)) : columns.positive(row, "size_bytes", 1);
  const auto seconds = columns.seconds(row, layout.time);
  const auto per_node = ranks_of_node(table, layout, row, ranks.value_or(1));
  if (!ranks || !bytes || !seconds || !per_node) return;
  const dsl::Span at_ranks = columns.place(row, layout.ranks);
  if (*ranks < 2) return table.diagnostics.error(at_ranks, "a collective has at least two ranks");
  const Group group = group_of(*ranks, *per_node, machine);
  if (group.inside[0] < *ranks && machine.network.size() < 2)
    return table.diagnostics.error(at_ranks,
                                   fmt::format("{} ranks do not fit into one node of {}", *ranks, machine.gpu.name),
                                   "--cluster NAME says which network they crossed");
  const std::string type = columns.text(row, layout.type);
  const Operator op = operator_of(*name, *bytes, group, type);
  if (above_links(table, op, *bytes, *seconds, group, columns.place(row, layout.time))) return;
  const std::string nodes = fmt::format("{}x{}", (*ranks + *per_node - 1) / *per_node, *per_node);
  table.add(row, layout.time, op, *seconds, {*name, nodes, columns.text(row, layout.size), type, "1"});
}

/// How many before a sample were the same measurement; one number for all where not all were repeated as often.
void number_runs(SampleSet& set) {
  std::map<std::vector<std::string>, int> seen;
  for (Sample& s : set.samples) {
    s.values.back() = "1";
    s.values.back() = std::to_string(++seen[s.values]);
  }
  const auto often = [&](const auto& entry) { return entry.second == seen.begin()->second; };
  if (std::all_of(seen.begin(), seen.end(), often)) return;
  for (Sample& s : set.samples) s.values.back() = "1";
}

}  // namespace

std::optional<std::string> collective_in(std::string_view name) {
  std::string letters;
  for (char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)))
      letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const Spelling& s : kSpellings)
    if (letters.find(s.letters) != std::string::npos) return s.name;
  return std::nullopt;
}

std::optional<CollectiveKind> collective_kind(std::string_view name) {
  const auto named = std::ranges::find(kCollectiveNames, name);
  if (named == kCollectiveNames.end()) return std::nullopt;
  return static_cast<CollectiveKind>(named - kCollectiveNames.begin());
}

void read_collectives(const MeasuredTable& table) {
  const auto layout = layout_of(table.columns);
  if (!layout) return;
  if (table.machine.network.empty())
    return table.diagnostics.error({}, fmt::format("no network is known for {}", table.machine.gpu.name),
                                   "--cluster NAME says it");
  if (table.set.dimensions.empty()) table.set.dimensions = {"op", "layout", "size_bytes", "type", "run"};
  for (size_t row : table.file.rows) read_collective(table, *layout, row);
  number_runs(table.set);
}

}  // namespace operator_models
