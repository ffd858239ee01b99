// A search decides whole subtrees at once: compared with a walk that examines each candidate separately.
#include "planner/search/prefixes.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <random>

#include "dsl/space_size.h"
#include "planner/plan/violations.h"
#include "planner/scenario/field_setter.h"
#include "tests/planner/search/open_sample.h"
#include "tests/planner/search/result_text.h"
#include "tests/planner/workload/lower/mixtures.h"

using planner::SearchResult;
using sample::kAxes;
using sample::kGpt;
using sample::Sets;
using sample::operator+;

namespace {

/// Choices of every kind, some of which have no value in places, or break a rule.
const Sets kDense{
    "parallelism.tp=[1, 2, 3, 4]",
    "parallelism.pp=divisors(model.layers)",
    "parallelism.dp=cluster.gpus / (tp * pp)",
    "cluster.gpus=[8, 12, 16]",
    "parallelism.microbatch=divisors(job.global_batch / dp)",
    "parallelism.interleave=if(parallelism.schedule == \"interleaved\", divisors(model.layers / pp), [1, 2])",
    "parallelism.schedule=[1f1b, interleaved, zb-h1, gpipe]",
    "parallelism.recompute=[none, full]",
    "parallelism.sequence_parallel=[false, true]",
    "parallelism.zero=[0, 1, 2, 3]",
    "parallelism.zero_group=[2, 4]",
    "parallelism.order=[tp-cp-ep-dp-pp, dp-dp, tp-cp-ep-pp-dp]",
    "parallelism.offload.optimizer=[0, 0.5]",
    "cluster.gpu.memory=[8 GB, 24 GB, 80 GB]",
    "cluster.gpu.memory_bandwidth=[1 TB/s, 2 TB/s]",
    "cluster.host.bandwidth=[0 B/s, 32 GB/s]",
    "cluster.network[0].bandwidth=[100 GB/s, 300 GB/s]",
    "cluster.checkpoint.save=[10 s, 50 s]",
    "cluster.price=[1 USD/h, 2 USD/h]",
    "job.precision=[bf16, fp32, fp8]",
    "job.global_batch=[16, 30]",
    "job.sequence=[512, 1022]",
    "model.layers=[4, 6]",
    "software.overlap.gradients=[false, true]",
    "software.overlap.pipeline=[false, true]",
    "software.fusion.cross_entropy=[false, true]",
    "software.attention=[unfused, flash2]",
    "software.straggling=[0, 0.01]"};
const Sets kConditions{"where=[tp * pp <= 8]",
                       "where=[microbatch <= 4, mfu > 0.1]",
                       "where=[zero < 2 or tp == 1]",
                       "where=[step < 1 s]",
                       "where=[dp / 3 < 2]",
                       "where=['if(parallelism.recompute == none and software.overlap.gradients, "
                       "software.fusion.cross_entropy, true)']"};
const Sets kGoals{"goal={minimize: usd}", "goal={minimize: gpus}", "goal={maximize: mfu, deadline: 1 d}",
                  "goal={minimize: days, budget: 100 USD}", "goal={minimize: memory.peak}"};

/// Some of the rows, in any order.
Sets some_of(const Sets& rows, int most) {
  Sets left = rows, out;
  for (int n = *rc::gen::inRange(1, most + 1); n > 0 && !left.empty(); --n) {
    const auto at = left.begin() + *rc::gen::inRange<int>(0, static_cast<int>(left.size()));
    out.push_back(*at);
    left.erase(at);
  }
  return out;
}

Sets random_space() {
  Sets sets = some_of(kDense, 9);
  if (*rc::gen::inRange(0, 4) == 0) {
    std::erase_if(sets, [](const std::string& set) { return set.starts_with("job.sequence"); });
    sets.push_back("job.sequence={points: [256, 511, 1024], weights: [3, 2, 1]}");
  }
  sets.insert(sets.begin(), {"job.tokens=1e9", "cluster.gpus=8"});
  if (*rc::gen::inRange(0, 3) == 0) sets.push_back(some_of(kConditions, 1).front());
  if (*rc::gen::inRange(0, 2) == 0) sets.push_back(some_of(kGoals, 1).front());
  return sets;
}

}  // namespace

TEST_CASE("what is decided by prefixes is what each candidate says by itself") {
  int64_t candidates = 0, feasible = 0, bounded = 0, spaces = 0;
  const bool good = rc::check([&] {
    const Sets sets = random_space();
    dsl::Diagnostics diagnostics;
    const auto open = sample::try_open(kGpt, sets, diagnostics);
    RC_PRE(open.has_value());
    RC_PRE(dsl::size_of(open->space, 10).candidates < 4000);
    for (const auto& axes : {std::vector<const planner::ResultRow*>{}, kAxes}) {
      const SearchResult each = planner::search(*open, {.top = 3, .pareto = axes, .exhaustive = true});
      const SearchResult quick = planner::search(*open, {.top = 3, .pareto = axes, .threads = 2});
      if (sample::text(each) != sample::text(quick))
        for (const std::string& set : sets) RC_LOG() << set << "\n";
      RC_ASSERT(sample::text(each) == sample::text(quick));
      candidates += each.candidates, feasible += each.feasible, bounded += quick.bounded, ++spaces;
    }
  });
  CHECK(good);
  MESSAGE(spaces << " walks, " << candidates << " candidates, " << feasible << " feasible");
  CHECK(feasible > 0);
  CHECK(bounded > 0);
}

namespace {

/// Values of every field that a layout rule reads, and of some that none does.
const Sets kFields{"parallelism.tp=[1, 2, 3, 8]",
                   "parallelism.pp=[1, 2, 4, 5000]",
                   "parallelism.cp=[1, 2, 4]",
                   "parallelism.ep=[1, 2, 3]",
                   "parallelism.etp=[1, 2]",
                   "parallelism.dp=[1, 2, 3, 8]",
                   "parallelism.microbatch=[1, 2, 3]",
                   "parallelism.interleave=[1, 2, 3]",
                   "parallelism.schedule=['', 1f1b, interleaved, zb-h1, dualpipe-v]",
                   "parallelism.recompute=[none, full]",
                   "parallelism.sequence_parallel=[false, true]",
                   "parallelism.zero=[0, 1, 2, 3]",
                   "parallelism.zero_group=[1, 2, 3]",
                   "parallelism.order=[tp-cp-ep-dp-pp, dp-dp]",
                   "parallelism.servers=[0, 2]",
                   "parallelism.offload.optimizer=[0, 0.5]",
                   "parallelism.offload.weights=[0, 0.5]",
                   "parallelism.offload.activations=[0, 0.5]",
                   "cluster.gpus=[8, 12, 16, 100000]",
                   "cluster.gpu.memory=[8 GB, 80 GB]",
                   "cluster.host.bandwidth=[0 B/s, 32 GB/s]",
                   "cluster.host.memory_bandwidth=[0 B/s, 200 GB/s]",
                   "cluster.checkpoint.save=[10 s, 5000 s]",
                   "cluster.checkpoint.background=[0 s, 5000 s]",
                   "job.precision=[bf16, fp32, fp8]",
                   "job.phase=[train, forward]",
                   "job.global_batch=[16, 30]",
                   "job.sequence=[512, 1022]",
                   "job.document=[128, 4096]",
                   "job.routing.skew=[1, 4]",
                   "job.lora.rank=[0, 6, 100000]",
                   "model.layers=[4, 6]",
                   "model.heads=[16, 24]",
                   "software.attention=[unfused, flash2]",
                   "software.context=[ring, all-to-all]",
                   "software.balanced_context=[false, true]",
                   "software.fsdp=[false, true]",
                   "software.schedule=[1f1b, zb-h1, zb-v]",
                   "software.straggling=[0, 0.01]"};

constexpr const char* kList = R"(
model:
  operators:
    - {name: first, kind: linear, in: 32, out: 64}
    - {name: table, kind: lookup, out: 16, tables: [1000, 10, 500]}
job: {global_batch: 64, precision: fp16, optimizer: sgd}
cluster: {use: dgx-a100-80gb, gpus: 4}
software: {use: ddp-amp}
parallelism: {dp: 4, microbatch: 4}
)";
const Sets kFieldsOfList{
    "parallelism.tp=[1, 2]", "parallelism.pp=[1, 2]", "parallelism.interleave=[1, 2]",    "parallelism.zero=[0, 1]",
    "model.layers=[1, 2]",   "model.mtp=[0, 1]",      "model.operators.first.in=[0, 32]", "job.sequence=[1, 8]",
    "job.lora.rank=[0, 6]",  "job.tokens=[1e9, 2e9]"};

/// A scenario whose open fields take any of their values.
class AnyScenario {
 public:
  explicit AnyScenario(const planner::OpenScenario& open) : s_(open.sample) {
    for (const dsl::OpenItem& item : open.space.items()) {
      if (!item.is_choice) continue;  // a default that follows others keeps its value
      items_.push_back(item);
      setters_.push_back(planner::field_setter(s_, item.path));
      at_.push_back(0);
      set(at_.size() - 1, 0);
    }
  }
  AnyScenario(const AnyScenario&) = delete;
  AnyScenario& operator=(const AnyScenario&) = delete;
  size_t size() const { return items_.size(); }
  size_t values(size_t i) const { return items_[i].values.size(); }
  size_t at(size_t i) const { return at_[i]; }
  const std::string& path(size_t i) const { return items_[i].path; }
  void set(size_t i, size_t value) { setters_[i](items_[i].values[at_[i] = value]); }
  const planner::Scenario& scenario() const { return s_; }

 private:
  std::vector<dsl::OpenItem> items_;
  planner::Scenario s_;
  std::vector<dsl::Setter> setters_;
  std::vector<size_t> at_;
};

std::vector<bool> verdicts(const planner::Scenario& s) {
  std::vector<bool> broken;
  for (size_t rule = 0; rule < planner::layout_rule_count(); ++rule)
    broken.push_back(planner::breaks_layout_rule(rule, s));
  return broken;
}

/// Gives each field another value, and back: a verdict changes only for rules listed as reading that field. Counts the
/// verdicts that do.
void check_flips(AnyScenario& any, const planner::Scenario& sample, std::map<std::string, int>& moved) {
  const std::vector<bool> before = verdicts(any.scenario());
  for (size_t i = 0; i < any.size(); ++i) {
    const size_t value = any.at(i);
    any.set(i, (value + 1) % any.values(i));
    const std::vector<bool> now = verdicts(any.scenario());
    for (size_t rule = 0; rule < now.size(); ++rule) {
      if (now[rule] == before[rule]) continue;
      ++moved[planner::layout_rule_name(rule)];
      if (!planner::layout_rule_reads(rule, any.path(i), sample))
        FAIL_CHECK(std::string(planner::layout_rule_name(rule)), " reads ", any.path(i));
    }
    any.set(i, value);
  }
}

}  // namespace

TEST_CASE("a layout rule depends on no field but those that it is said to read") {
  std::map<std::string, int> moved;
  std::mt19937 random(20261125);
  const Sets transformer = kFields + Sets{"cluster.checkpoint.interval=1000 s", "software.use=megatron-core"};
  for (const auto& [text, fields] :
       {std::pair{kGpt, transformer}, {mixtures::kMixture, transformer}, {kList, kFieldsOfList}}) {
    const planner::OpenScenario open = sample::opened(text, fields);
    AnyScenario any(open);
    REQUIRE(any.size() == (fields == transformer ? kFields : kFieldsOfList).size());
    for (int n = 0; n < 400; ++n) {
      for (size_t i = 0; i < any.size(); ++i) any.set(i, random() % any.values(i));
      check_flips(any, open.sample, moved);
    }
  }
  CHECK(moved.size() >= 20);  // rules that some flip turns
}

TEST_CASE("a walk in another order comes to the same combinations, and counts those without a value alike") {
  const Sets sets{"parallelism.zero=[0, 1]",
                  "parallelism.recompute=[none, full]",
                  "cluster.gpus=[8, 12]",
                  "parallelism.tp=[1, 2, 5]",
                  "parallelism.pp=divisors(cluster.gpus / tp)",
                  "parallelism.order=[tp-cp-ep-dp-pp]",
                  "parallelism.microbatch=[1, 2]",
                  "where=[tp * pp <= 8]"};
  const planner::OpenScenario open = sample::opened(kGpt, sets);
  const auto walk = [&](dsl::Cursor cursor) {
    std::map<std::string, int64_t> seen;
    while (cursor.next()) {
      std::string key = std::to_string(static_cast<int>(cursor.refusal())) + " " +
                        std::to_string(cursor.refusal() == dsl::Refusal::none ? 0 : cursor.refused_at());
      const bool whole = cursor.refusal() == dsl::Refusal::none || cursor.refusal() == dsl::Refusal::where;
      for (size_t i = 0; whole && i < open.space.items().size(); ++i) key += " " + dsl::to_text(cursor.value(i));
      seen[key] += cursor.weight();
    }
    return seen;
  };
  const std::vector<size_t> order = planner::walk_order(open);
  CHECK(!std::ranges::is_sorted(order));
  CHECK(walk(dsl::Cursor(open.space, order)) == walk(dsl::Cursor(open.space)));
}

TEST_CASE("choices that a condition relates stay free where it refuses little, and count as each by itself says") {
  const Sets choices{"parallelism.tp=[1, 2, 4]",
                     "parallelism.pp=[1, 2]",
                     "parallelism.microbatch=[1, 2, 4]",
                     "cluster.gpus=8",
                     "job.tokens=1e9",
                     "parallelism.recompute=[none, selective, full]",
                     "software.overlap.gradients=[false, true]",
                     "software.overlap.parameters=[false, true]",
                     "software.fusion.cross_entropy=[false, true]"};
  struct Row {
    const char* where;
    size_t free;  // levels; none if fewer than a dozen combinations are left
    int64_t refused;
  };
  const Row rows[]{{"true", 4, 0},
                   {"if(tp > 2 and software.overlap.gradients, software.fusion.cross_entropy, true)", 4, 36},
                   {"if(tp > 2 and pp > 1, software.fusion.cross_entropy, true)", 4, 36},
                   {"software.overlap.gradients == (tp > 1)", 3, 216},
                   {"software.overlap.gradients == software.overlap.parameters", 0, 216}};
  for (const Row& row : rows) {
    CAPTURE(row.where);
    const planner::OpenScenario open = sample::opened(kGpt, choices + Sets{"where=['" + std::string(row.where) + "']"});
    const std::vector<size_t> order = planner::walk_order(open);
    CHECK(order.size() - planner::free_from(open, order) == row.free);
    const SearchResult each = planner::search(open, {.top = 5, .exhaustive = true});
    const SearchResult quick = planner::search(open, {.top = 5});
    CHECK(sample::text(each) == sample::text(quick));
    const auto refused = quick.rejected.find("where");
    CHECK((refused == quick.rejected.end() ? 0 : refused->second) == row.refused);
  }
}
