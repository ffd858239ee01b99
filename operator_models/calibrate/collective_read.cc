#include "operator_models/calibrate/collective_read.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "operator_models/calibrate/columns.h"
#include "operator_models/models.h"

namespace operator_models {
namespace {

struct Spelling {
  const char* letters;  // without what stands between words
  const char* name;
};
constexpr std::array kSpellings{
    Spelling{"allreduce", "all-reduce"},         Spelling{"allgather", "all-gather"},
    Spelling{"reducescatter", "reduce-scatter"}, Spelling{"alltoall", "all-to-all"},
    Spelling{"all2all", "all-to-all"},           Spelling{"broadcast", "broadcast"},
    Spelling{"sendrecv", "send-recv"},
};
constexpr double kTolerance = 1.05;  // above a link's datasheet rate: rounding of times, clocks of links

/// Which columns a table has for what every layout tells.
struct CollectiveColumns {
  std::string ranks, per_node, type, time, size = "size_bytes";
};

std::string first_of(const Columns& columns, std::initializer_list<const char*> names) {
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
std::optional<double> exchanged(const Columns& columns, size_t row) {
  const auto ranks = columns.count(row, "ep"), width = columns.count(row, "hidden_size"),
             top_k = columns.count(row, "topk"), experts = columns.count(row, "num_experts"),
             tokens = columns.count(row, "num_tokens");
  if (!ranks || !width || !top_k || !experts || !tokens) return std::nullopt;
  const std::string& type = columns.text(row, "dtype");
  const auto names = hw_profiles::words(Precision::bf16);
  const auto named = std::find(names.begin(), names.end(), type == "bfloat16" ? "bf16" : type);
  if (named == names.end()) return columns.wrong(row, "dtype", fmt::format("unknown precision '{}'", type));
  if (*top_k > *experts) return columns.wrong(row, "topk", fmt::format("is above num_experts {}", *experts));
  const double bytes = operand_bytes(static_cast<Precision>(named - names.begin()));
  return real(*tokens) * real(*width) * bytes * ranks_reached(real(*ranks), real(*experts), real(*top_k));
}

std::optional<CollectiveColumns> layout_of(const Columns& columns) {
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

bool above_peak(const Operator& op, double bytes, double seconds, const Group& group, const Machine& machine,
                dsl::Span place, dsl::Diagnostics& diagnostics) {
  const auto* collective = std::get_if<Collective>(&op);
  const double factor = collective ? bus_factor(collective->kind, real(group.ranks)) : 1;
  const double rate = bytes * factor / seconds, most = peak(op, group, machine);
  if (rate <= most) return false;
  diagnostics.error(place,
                    fmt::format("{:.4g} GB/s of bus bandwidth are above what the links of {} can give, {:.4g} GB/s",
                                rate / 1e9, machine.gpu.name, most / 1e9),
                    "--cluster and --gpu say what was measured");
  return true;
}

class CollectiveReader {
 public:
  CollectiveReader(const DataFile& file, const Machine& machine, const Columns& columns,
                   const CollectiveColumns& layout, dsl::Diagnostics& diagnostics)
      : file_(file), machine_(machine), columns_(columns), layout_(layout), diagnostics_(diagnostics) {}

  void read(size_t row, SampleSet& set) {
    const std::string& op_name = columns_.text(row, "op");
    const bool exchange = layout_.size == "num_tokens";
    const auto name = exchange && op_name == "dispatch" ? "all-to-all" : collective_in(op_name);
    if (!name) {
      ++set.passed_over;
      return;
    }
    const auto ranks = columns_.count(row, layout_.ranks);
    const auto bytes = exchange ? exchanged(columns_, row) : columns_.positive(row, "size_bytes", 1);
    const auto seconds = columns_.seconds(row, layout_.time);
    const auto per_node = inside(row, ranks.value_or(1));
    if (!ranks || !bytes || !seconds || !per_node) return;
    if (*ranks < 2)
      return diagnostics_.error(columns_.place(row, layout_.ranks), "a collective has at least two ranks");
    const Group group = group_of(*ranks, *per_node, machine_);
    if (group.inside[0] < *ranks && machine_.network.size() < 2)
      return diagnostics_.error(columns_.place(row, layout_.ranks),
                                fmt::format("{} ranks do not fit into one node of {}", *ranks, machine_.gpu.name),
                                "--cluster NAME says which network they crossed");
    const std::string type = columns_.text(row, layout_.type);
    const Operator op = operator_of(*name, *bytes, group, type);
    const dsl::Span place = columns_.place(row, layout_.time);
    if (above_peak(op, *bytes, *seconds, group, machine_, place, diagnostics_)) return;
    const std::string nodes = fmt::format("{}x{}", (*ranks + *per_node - 1) / *per_node, *per_node);
    set.samples.push_back(
        {op, *seconds, {*name, nodes, columns_.text(row, layout_.size), type, "1"}, file_.counted[row] != 0, place});
  }

 private:
  /// GPUs of a node in use; all of the machine's where the data does not say.
  std::optional<int64_t> inside(size_t row, int64_t ranks) const {
    if (layout_.per_node.empty() || columns_.text(row, layout_.per_node).empty())
      return std::min(ranks, machine_.gpus_per_node);
    const auto n = columns_.count(row, layout_.per_node);
    return n ? std::optional(std::min(*n, ranks)) : n;
  }

  static Operator operator_of(const std::string& name, double bytes, const Group& group, const std::string& type) {
    if (const auto kind = collective_kind(name))
      return Collective{.kind = *kind, .bytes = {bytes}, .group = group, .in_switch = !is_integer(type)};
    // Alone in their nodes, the ranks use the adapters of one rail.
    return SendRecv{.bytes = {bytes},
                    .tier = group.inside[0] < group.ranks ? 1 : 0,
                    .along_rail = group.ranks > 1 && group.inside[0] == 1};
  }

  const DataFile& file_;
  const Machine& machine_;
  const Columns& columns_;
  const CollectiveColumns& layout_;
  dsl::Diagnostics& diagnostics_;
};

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
  for (size_t i = 0; i < kCollectiveNames.size(); ++i)
    if (name == kCollectiveNames[i]) return static_cast<CollectiveKind>(i);
  return std::nullopt;
}

void read_collectives(const DataFile& file, const Task&, const Machine& machine, SampleSet& set,
                      dsl::Diagnostics& diagnostics) {
  const Columns columns(file.table, diagnostics);
  const auto layout = layout_of(columns);
  if (!layout) return;
  if (machine.network.empty())
    return diagnostics.error({}, fmt::format("no network is known for {}", machine.gpu.name), "--cluster NAME says it");
  if (set.dimensions.empty()) set.dimensions = {"op", "layout", "size_bytes", "type", "run"};
  CollectiveReader reader(file, machine, columns, *layout, diagnostics);
  for (size_t row : file.rows) reader.read(row, set);
  number_runs(set);
}

}  // namespace operator_models
