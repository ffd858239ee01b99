#include "planner/replay/predicted.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>

#include "planner/replay/kernel_prices.h"
#include "planner/replay/predicted_rank.h"
#include "planner/replay/priced_collectives.h"

namespace planner::replay {
namespace {

constexpr size_t kMostTold = 5;
constexpr std::string_view kSharded = "split_embedding";  // FBGEMM's kernels of tables that ranks share
constexpr double kMostSeconds = 1000;                     // of one kernel, or one transfer

class Predictor {
 public:
  Predictor(const std::vector<trace::Execution>& ranks, const Site& site, const Statistics& times,
            const Sharding* sharding)
      : executions_(ranks), site_(site), spans_(times), known_{times, spans_}, sharding_(sharding) {}

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

  // Lookups of a rank keep their shares of what all of them take.
  void place_tables() {
    size_t found = 0;
    for (size_t r = 0; r < ranks_.size(); ++r) {
      std::vector<uint32_t> lookups;
      double took_ns = 0;
      for (size_t i = 0; i < made_.ranks[r].events.size(); ++i) {
        const trace::Event& kernel = made_.ranks[r].events[i];
        if (!trace::is_on_device(kernel.kind) || made_.ranks[r].name(kernel).find(kSharded) == std::string::npos)
          continue;
        lookups.push_back(event(r, i).first);
        took_ns += static_cast<double>(graph_.nodes[lookups.back()].duration_ns);
      }
      found += lookups.size();
      for (const uint32_t lookup : lookups) {
        int64_t& ns = graph_.nodes[lookup].duration_ns;
        ns = std::llround(static_cast<double>(ns) / took_ns * sharding_->lookup_seconds[r] * 1e9);
      }
    }
    if (found == 0)
      made_.wrong.push_back(
          fmt::format("no kernel looks up in tables of several ranks: none is called '{}'", kSharded));
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

  // Nanoseconds of work; of more than is a step's the trace is wrong.
  int64_t within_limit(double seconds, const std::string& name) {
    if (seconds >= 0 && seconds <= kMostSeconds) return std::llround(seconds * 1e9);
    if (made_.wrong.size() < kMostTold)
      made_.wrong.push_back(
          fmt::format("'{}' would take {:.3g} s, and no step is longer than {:.0f} s: are the shapes of its "
                      "operator right?",
                      name, seconds, kMostSeconds));
    return 0;
  }

  // Each ends on all ranks as long after the last one has arrived as the models say.
  bool join_collectives() {
    const trace::Matched matched = trace::match_collectives(made_.ranks);
    made_.wrong.insert(made_.wrong.end(), matched.mistakes.begin(), matched.mistakes.end());
    const operator_models::Device device = device_of(*site_.machine);
    for (trace::Collective collective : matched.collectives) {
      if (sharding_ && carries_rows(collective)) collective.bytes = collective.bytes_out = sharding_->message_bytes;
      const TypedCollective typed = operator_of(collective, made_.ranks, site_);
      const auto time = predicted_time(typed, device);
      if (!time && made_.wrong.size() < kMostTold)
        made_.wrong.push_back(fmt::format("'{}' has no price: {}", collective.name, typed.missing));
      const int64_t transfer_ns = time ? within_limit(time->seconds, collective.name) : 0;
      const uint32_t join = graph_.add(Node{});
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
  const Known known_;
  const Sharding* const sharding_;
  Graph graph_;
  std::deque<PredictedRank> ranks_;
  std::vector<std::vector<uint32_t>> places_;  // by rank
  PredictedTrace made_;
};

}  // namespace

PredictedTrace predict(const std::vector<trace::Execution>& ranks, const Site& site, const Statistics& times,
                       const std::vector<int64_t>& begins_ns, const Sharding* sharding) {
  return Predictor(ranks, site, times, sharding).predict(begins_ns);
}

bool has_shapes(const trace::Execution& execution) {
  return execution.schema.starts_with("1.") &&
         std::ranges::any_of(execution.nodes, [&](const trace::ExecutionNode& node) {
           return node.thread >= 0 && node.shapes != trace::kNone &&
                  execution.names[node.shapes].find_first_of("123456789") != std::string::npos;
         });
}

}  // namespace planner::replay
