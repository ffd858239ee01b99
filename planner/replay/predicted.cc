#include "planner/replay/predicted.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <unordered_map>

#include "operator_models/models.h"
#include "planner/replay/kernel_shapes.h"
#include "planner/replay/kernel_work.h"
#include "planner/replay/predicted_rank.h"
#include "planner/replay/priced_collectives.h"

namespace planner::replay {
namespace {

// Times of kernels of an execution trace on a machine.
//
// Kernels that multiply take the operator models' time for their operator's shapes. Other kernels move the tensors of
// their operator through the device's memory, at the measured efficiency of element-wise kernels, plus the time of an
// empty kernel; several kernels of one operator each move the same. A lookup moves the rows of its table, as many bytes
// as its output. Copies to and from the host use its link.

/// A kernel's time, and whether the models know its shape.
struct KernelPrice {
  double seconds = 0;
  bool by_shape = false;
};

class KernelPrices {
 public:
  explicit KernelPrices(const Site& site);

  /// `kernel`: place in `rank`, with `shapes`; `node`: the operator that launches it, with `of` kernels in all.
  KernelPrice of(const trace::RankTrace& rank, const KernelShapes& shapes, size_t kernel,
                 const trace::Execution& execution, const trace::ExecutionNode& node, size_t of) const;

 private:
  const operator_models::Machine& machine_;
  const operator_models::Device device_;
};

using trace::Tensor;

double bytes_of(const Tensor& tensor) {
  return static_cast<double>(tensor.elements) * static_cast<double>(tensor.element_bytes);
}

/// Bytes that an operator's tensors on the device hold; a tensor that is taken and given counts twice. A lookup reads
/// of each, its tables and their optimizer's states among them, as much as comes out at most.
double moved_bytes(const trace::Execution& execution, const trace::ExecutionNode& node) {
  double in = 0, out = 0;
  for (const Tensor& tensor : node.outputs)
    if (trace::is_on_device(execution, tensor)) out += bytes_of(tensor);
  const bool looks_up = execution.name(node).find("embedding") != std::string::npos;
  for (const Tensor& tensor : node.inputs)
    if (trace::is_on_device(execution, tensor)) in += looks_up ? std::min(out, bytes_of(tensor)) : bytes_of(tensor);
  return in + out;
}

/// Bytes that cross the link between host and device: those of the smaller side.
double crossing_bytes(const trace::Execution& execution, const trace::ExecutionNode& node) {
  double host = 0, device = 0;
  for (const Tensor& tensor : node.inputs) (trace::is_on_device(execution, tensor) ? device : host) += bytes_of(tensor);
  return std::min(host, device);
}

KernelPrices::KernelPrices(const Site& site) : machine_(*site.machine), device_(device_of(*site.machine)) {}

KernelPrice KernelPrices::of(const trace::RankTrace& rank, const KernelShapes& shapes, size_t kernel,
                             const trace::Execution& execution, const trace::ExecutionNode& node, size_t of) const {
  const KernelWork work = work_of(rank.events[kernel], rank.name(rank.events[kernel]));
  if (work == KernelWork::matrix || work == KernelWork::attention)
    if (const auto shaped = shapes.of(kernel)) {
      const operator_models::Cost cost = operator_models::cost(shaped->op, device_);
      const double seconds = (cost.seconds - operator_models::launch_of(device_)).value;
      return {std::max(seconds, machine_.calibration.empty_kernel.value), true};
    }
  const bool crosses = work == KernelWork::host_copy;
  const double bytes = crosses ? crossing_bytes(execution, node) : moved_bytes(execution, node);
  const double memory = machine_.gpu.memory_bandwidth.value * machine_.gpu.speedup *
                        operator_models::vector_row(machine_.calibration, "elementwise").efficiency;
  const double rate = crosses ? machine_.host.bandwidth.value * machine_.calibration.host.copy_efficiency : memory;
  const double moving = rate > 0 ? bytes / rate / static_cast<double>(std::max<size_t>(of, 1)) : 0;
  return {moving + machine_.calibration.empty_kernel.value, false};
}

constexpr size_t kMostTold = 5;
constexpr std::string_view kSharded = "split_embedding";  // FBGEMM's kernels of tables that ranks share

class TracePredictor {
 public:
  TracePredictor(const std::vector<trace::Execution>& ranks, const Site& site, const Statistics& times,
                 const Sharding* sharding)
      : executions_(ranks), site_(site), spans_(times), known_{times, spans_}, sharding_(sharding) {
    for (const trace::Execution& each : ranks) node_places_.push_back(trace::places_of(each));
  }

  PredictedTrace predict(const std::vector<int64_t>& begins_ns) {
    for (size_t r = 0; r < executions_.size(); ++r) {
      ranks_.emplace_back(executions_[r], r, known_, graph_);
      if (std::string wrong = ranks_.back().build(begins_ns.empty() ? 0 : begins_ns[r]); !wrong.empty())
        made_.wrong.push_back(std::move(wrong));
      made_.spans += ranks_.back().spans();
      made_.unlike += ranks_.back().unlike();
    }
    if (!made_.wrong.empty() || !run()) return std::move(made_);
    price_kernels();
    if (sharding_) place_tables();
    if (!join_collectives() || !run()) made_.ranks.clear();
    return std::move(made_);
  }

 private:
  bool run() {
    const auto runs = replay::run(graph_);
    if (!runs) return made_.wrong.emplace_back("operators wait for each other in a circle"), false;
    made_.ranks.clear();
    places_.resize(ranks_.size());
    for (size_t r = 0; r < ranks_.size(); ++r) {
      made_.ranks.push_back(ranks_[r].trace_of(*runs, places_[r]));
      made_.ranks.back().world_size = std::max(site_.ranks.value_or(0), std::ssize(ranks_));
      made_.ranks.back().device = site_.machine->gpu.name;
      made_.ranks.back().clock = "predicted";
    }
    return true;
  }

  const GraphEvent& event(size_t rank, size_t event) const { return ranks_[rank].events()[places_[rank][event]]; }

  void price_kernels() {
    const KernelPrices prices(site_);
    for (size_t r = 0; r < ranks_.size(); ++r) {
      const trace::RankTrace& rank = made_.ranks[r];
      const KernelShapes shapes(rank);
      for (size_t i = 0; i < rank.events.size(); ++i) {
        const GraphEvent& at = event(r, i);
        if (!trace::is_on_device(at.event.kind) || at.event.role == trace::Role::communication) continue;
        const bool known = at.operator_of != trace::kNone;
        const trace::ExecutionNode nobody{};
        const KernelPrice price =
            prices.of(rank, shapes, i, executions_[r], known ? executions_[r].nodes[at.operator_of] : nobody,
                      known ? ranks_[r].launched_by(at.operator_of) : 1);
        graph_.nodes[at.first].duration_ns = within_limit(price.seconds, rank.name(rank.events[i]));
        ++made_.kernels;
        made_.by_shapes += price.by_shape;
      }
    }
  }

  // Nodes of the graph: the kernels of a rank that look up.
  std::vector<uint32_t> lookups_of(size_t rank) const {
    std::vector<uint32_t> lookups;
    for (size_t i = 0; i < made_.ranks[rank].events.size(); ++i) {
      const trace::Event& kernel = made_.ranks[rank].events[i];
      if (trace::is_on_device(kernel.kind) && made_.ranks[rank].name(kernel).find(kSharded) != std::string::npos)
        lookups.push_back(event(rank, i).first);
    }
    return lookups;
  }

  // Lookups of a rank keep their shares of what all of them take; those that take nothing share it evenly.
  void place_tables() {
    size_t found = 0;
    std::vector<std::string> without;
    for (size_t r = 0; r < ranks_.size(); ++r) {
      const std::vector<uint32_t> lookups = lookups_of(r);
      found += lookups.size();
      if (lookups.empty() && sharding_->lookup_seconds[r] > 0)
        without.push_back(fmt::format("'{}': tables take {:.3g} s of rank {}, and no kernel of it is called '{}'",
                                      executions_[r].file, sharding_->lookup_seconds[r], r, kSharded));
      double took_ns = 0;
      for (const uint32_t lookup : lookups) took_ns += static_cast<double>(graph_.nodes[lookup].duration_ns);
      for (const uint32_t lookup : lookups) {
        int64_t& ns = graph_.nodes[lookup].duration_ns;
        const double share = took_ns > 0 ? static_cast<double>(ns) / took_ns : 1 / static_cast<double>(lookups.size());
        ns = std::llround(share * sharding_->lookup_seconds[r] * 1e9);
      }
    }
    if (found == 0)
      without.assign(1, fmt::format("no kernel looks up in tables of several ranks: none is called '{}'", kSharded));
    made_.wrong.insert(made_.wrong.end(), without.begin(), without.end());
  }

  // Of numbers with a precision, as sums of rows are; indices are whole numbers.
  bool carries_rows(const trace::Collective& collective) const {
    if (collective.kind != trace::CollectiveKind::all_to_all) return false;
    const trace::Collective::Part& part = collective.parts.front();
    const uint32_t node = event(part.rank, part.event).operator_of;
    if (node == trace::kNone || executions_[part.rank].nodes[node].types == trace::kNone) return false;
    const std::string& types = executions_[part.rank].names[executions_[part.rank].nodes[node].types];
    return types.starts_with("[\"Tensor(float") || types.starts_with("[\"Tensor(c10::");
  }

  // An exchange in a backward pass sends the gradients of rows.
  bool goes_back(const trace::Collective& collective) const {
    const trace::Collective::Part& part = collective.parts.front();
    const trace::Execution& execution = executions_[part.rank];
    const trace::ExecutionNode* node = &execution.nodes[event(part.rank, part.event).operator_of];
    while (node->scope != trace::kBackwardScope) {
      const uint32_t around = trace::around_of(execution, node_places_[part.rank], *node);
      if (around == trace::kNone) return false;
      node = &execution.nodes[around];
    }
    return true;
  }

  // Of each direction the all-to-alls keep their shares of the bytes; those without any share evenly.
  void place_messages(std::vector<trace::Collective>& collectives) {
    std::array<std::vector<trace::Collective*>, 2> ways;
    for (trace::Collective& each : collectives)
      if (carries_rows(each)) ways[goes_back(each)].push_back(&each);
    if (sharding_->message_bytes > 0 && ways[0].empty() && ways[1].empty())
      made_.wrong.emplace_back("no all-to-all carries rows of embedding tables: none has a floating-point type");
    for (const auto& way : ways) {
      double all = 0;
      for (const trace::Collective* each : way) all += static_cast<double>(std::max<int64_t>(each->bytes, 0));
      for (trace::Collective* each : way) {
        const double share = all > 0 ? static_cast<double>(std::max<int64_t>(each->bytes, 0)) / all
                                     : 1 / static_cast<double>(way.size());
        each->bytes = each->bytes_out = std::llround(share * static_cast<double>(sharding_->message_bytes));
      }
    }
  }

  // Nanoseconds of work; of more than is a step's the trace is wrong.
  int64_t within_limit(double seconds, const std::string& name) {
    if (seconds >= 0 && seconds <= kMostKernelSeconds) return std::llround(seconds * 1e9);
    if (made_.wrong.size() < kMostTold)
      made_.wrong.push_back(
          fmt::format("'{}' would take {:.3g} s, and no step is longer than {:.0f} s: are the shapes of its "
                      "operator right?",
                      name, seconds, kMostKernelSeconds));
    return 0;
  }

  // Each ends on all ranks as long after the last one has arrived as the models say.
  bool join_collectives() {
    trace::Matched matched = trace::match_collectives(made_.ranks);
    made_.wrong.insert(made_.wrong.end(), matched.mistakes.begin(), matched.mistakes.end());
    const operator_models::Device device = device_of(*site_.machine);
    if (sharding_) place_messages(matched.collectives);
    for (const trace::Collective& collective : matched.collectives) {
      const TypedCollective typed = operator_of(collective, made_.ranks, site_);
      const auto time = predicted_time(typed, device);
      if (!time && made_.wrong.size() < kMostTold)
        made_.wrong.push_back(fmt::format("'{}' has no price: {}", collective.name, typed.missing));
      const int64_t transfer_ns = time ? within_limit(time->seconds, collective.name) : 0;
      const uint32_t join = graph_.add(ReplayNode{});
      for (const trace::Collective::Part& part : collective.parts) {
        const GraphEvent& at = event(part.rank, part.event);
        graph_.add({.from = at.first, .to = join, .cause = Cause::ranks});
        graph_.add({.from = join, .to = at.last, .lag_ns = transfer_ns, .cause = Cause::ranks});
      }
    }
    return made_.wrong.empty();
  }

  const std::vector<trace::Execution>& executions_;
  const Site& site_;
  const Spans spans_;
  const HostKnowledge known_;
  const Sharding* const sharding_;
  Graph graph_;
  std::deque<PredictedRank> ranks_;
  std::vector<std::vector<uint32_t>> places_;                             // by rank
  std::vector<std::unordered_map<uint64_t, uint32_t>> node_places_ = {};  // by rank: of its file's nodes, by id
  PredictedTrace made_;
};

}  // namespace

PredictedTrace predict(const std::vector<trace::Execution>& ranks, const Site& site, const Statistics& times,
                       const std::vector<int64_t>& begins_ns, const Sharding* sharding) {
  return TracePredictor(ranks, site, times, sharding).predict(begins_ns);
}

bool has_shapes(const trace::Execution& execution) {
  return execution.schema.starts_with("1.") &&
         std::ranges::any_of(execution.nodes, [&](const trace::ExecutionNode& node) {
           return node.thread >= 0 && node.shapes != trace::kNone &&
                  execution.names[node.shapes].find_first_of("123456789") != std::string::npos;
         });
}

}  // namespace planner::replay
