#include "planner/workload/placement.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace planner {
namespace {

// Ranks that lie at the place of a word of the order, in one of the two cuts.
int64_t ranks_at(const Scenario& s, const Degree& word, Cut cut) {
  if (cut == Cut::experts && word.rest) return expert_copies(s);
  return product(s.parallelism, [&](const Degree& row) {
    const bool here = row.place ? row.place == word.value : row.value == word.value;
    return here && (row.cut == cut || row.cut == Cut::both);
  });
}

int64_t stride_in(const Scenario& s, Cut cut, DegreeOf wanted) {
  int64_t stride = 1;
  for (const Degree* word : parse_order(s.parallelism.order)) {
    if (word->value == wanted) break;
    stride *= ranks_at(s, *word, cut);
  }
  return stride;
}

int64_t expert_data_stride(const Scenario& s) { return stride_in(s, Cut::experts, &Degrees::dp); }

// Neighbours of the group that context and data parallelism form together.
int64_t data_stride(const Scenario& s) {
  int64_t stride = 0;
  for (const Degree& row : degrees())
    if (row.same_weights && s.parallelism.*row.value > 1)
      stride = stride == 0 ? stride_of(s, row.value) : std::min(stride, stride_of(s, row.value));
  return stride == 0 ? stride_of(s, &Degrees::dp) : stride;
}

}  // namespace

int64_t expert_copies(const Scenario& s) {
  return std::max<int64_t>(1, stage_ranks(s.parallelism) / expert_set_ranks(s.parallelism));
}

static DegreeOrder parsed(std::string_view text) {
  const auto has_word = [](const Degree& row) { return row.place == nullptr; };
  DegreeOrder order;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('-', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    const auto row = std::ranges::find_if(degrees(), [&](const Degree& d) { return has_word(d) && d.name == word; });
    if (row == degrees().end() || std::ranges::count(order, &*row) > 0) return {};
    order.words[order.count++] = &*row;
    begin = end + 1;
  }
  return static_cast<std::ptrdiff_t>(order.size()) == std::ranges::count_if(degrees(), has_word) ? order
                                                                                                 : DegreeOrder{};
}

DegreeOrder parse_order(std::string_view text) {
  static const DegreeOrder usual = parsed(kDefaultOrder);
  if (text == kDefaultOrder) return usual;
  // A search has few orders, and asks for each of them time and again.
  constexpr size_t kMost = 16;
  thread_local std::vector<std::pair<std::string, DegreeOrder>> known;
  for (const auto& [other, order] : known)
    if (other == text) return order;
  if (known.size() == kMost) known.clear();
  return known.emplace_back(text, parsed(text)).second;
}

int64_t stride_of(const Scenario& s, DegreeOf degree) {
  const Degree& row = degree_of(degree);
  return stride_in(s, row.cut == Cut::experts ? Cut::experts : Cut::common, row.place ? row.place : degree);
}

int64_t index_of(const Scenario& s, DegreeOf degree, int64_t rank) {
  return rank / stride_of(s, degree) % (s.parallelism.*degree);
}

operator_models::Group make_group(const Scenario& s, int64_t ranks, int64_t stride) {
  operator_models::Group group{.ranks = ranks, .inside = {}};
  for (const hw_profiles::Tier& tier : s.cluster.network) {
    const int64_t domain = tier.size == 0 ? ranks * stride : tier.size;
    group.inside.push_back(std::clamp<int64_t>(domain / stride, 1, ranks));
  }
  if (!group.inside.empty()) group.inside.back() = ranks;
  return group;
}

int64_t exchanging_ranks(const Scenario& s) {
  const Parallelism& p = s.parallelism;
  switch (s.software.context) {
    case Context::ring:
      return 1;
    case Context::all_to_all:
      return p.cp;
    case Context::all_to_all_ring:
      return std::clamp<int64_t>(p.cp_inner, 1, p.cp);
  }
  return 1;
}

operator_models::Group exchange_group(const Scenario& s) {
  return make_group(s, exchanging_ranks(s), stride_of(s, &Degrees::cp));
}

operator_models::Group ring_group(const Scenario& s) {
  const int64_t inner = exchanging_ranks(s);
  return make_group(s, s.parallelism.cp / inner, stride_of(s, &Degrees::cp) * inner);
}

operator_models::Group data_group(const Scenario& s) {
  return make_group(s, data_ranks(s.parallelism), data_stride(s));
}

operator_models::Group shard_group(const Scenario& s) {
  return make_group(s, s.parallelism.zero_group, data_stride(s));
}

operator_models::Group replica_group(const Scenario& s) {
  const int64_t shards = s.parallelism.zero_group;
  return make_group(s, data_ranks(s.parallelism) / shards, data_stride(s) * shards);
}

int64_t expert_shards(const Scenario& s) {
  const Parallelism& p = s.parallelism;
  if (p.expert_zero_group > 0) return std::gcd(expert_copies(s), p.expert_zero_group);
  return std::gcd(expert_copies(s),
                  std::max<int64_t>(1, p.zero_group * (stage_ranks(p) / data_ranks(p)) / expert_set_ranks(p)));
}

operator_models::Group expert_data_group(const Scenario& s) {
  return make_group(s, expert_copies(s), expert_data_stride(s));
}

operator_models::Group expert_shard_group(const Scenario& s) {
  return make_group(s, expert_shards(s), expert_data_stride(s));
}

operator_models::Group expert_replica_group(const Scenario& s) {
  const int64_t shards = expert_shards(s);
  return make_group(s, expert_copies(s) / shards, expert_data_stride(s) * shards);
}

int64_t pipeline_tier(const Scenario& s) {
  const int64_t reach = stride_of(s, &Degrees::pp) * s.parallelism.pp;
  for (size_t t = 0; t < s.cluster.network.size(); ++t)
    if (s.cluster.network[t].size == 0 || s.cluster.network[t].size >= reach) return static_cast<int64_t>(t);
  return std::max<int64_t>(0, static_cast<int64_t>(s.cluster.network.size()) - 1);
}

bool along_rails(const Scenario& s) {
  const int64_t size = s.cluster.network[static_cast<size_t>(pipeline_tier(s))].size;
  const bool leaves_node = size == 0 || size > s.cluster.gpus_per_node;
  return leaves_node && stride_of(s, &Degrees::pp) % s.cluster.gpus_per_node == 0;
}

operator_models::Group ends_group(const Scenario& s) {
  // Both ends lie in one domain if the whole pipeline does.
  const int64_t reach = stride_of(s, &Degrees::pp) * s.parallelism.pp;
  operator_models::Group group{.ranks = 2, .inside = {}};
  for (const hw_profiles::Tier& tier : s.cluster.network)
    group.inside.push_back(tier.size == 0 || tier.size >= reach ? 2 : 1);
  if (!group.inside.empty()) group.inside.back() = 2;
  return group;
}

int64_t tier_beyond(const Scenario& s, const operator_models::Group& group) {
  const auto& network = s.cluster.network;
  const auto joins = [&](size_t t) {
    const bool leaves_node = network[t].size == 0 || network[t].size > s.cluster.gpus_per_node;
    return leaves_node && group.inside[t] == group.ranks;
  };
  size_t t = 0;
  while (t + 1 < network.size() && !joins(t)) ++t;
  return static_cast<int64_t>(t);
}

operator_models::Group inside_node(const Scenario& s, const operator_models::Group& group) {
  operator_models::Group inside{.ranks = 1, .inside = group.inside};
  for (size_t t = 0; t < s.cluster.network.size(); ++t) {
    const int64_t size = s.cluster.network[t].size;
    if (size > 0 && size <= s.cluster.gpus_per_node) inside.ranks = group.inside[t];
  }
  for (int64_t& ranks : inside.inside) ranks = std::min(ranks, inside.ranks);
  return inside;
}

std::vector<std::string> tier_names(const Scenario& s, const operator_models::Group& group) {
  std::vector<std::string> names;
  int64_t reached = 1;
  for (size_t t = 0; t < s.cluster.network.size() && reached < group.ranks; ++t) {
    const int64_t here = group.inside[t];
    if (here > reached) names.push_back(s.cluster.network[t].name);
    reached = here;
  }
  return names;
}

}  // namespace planner
