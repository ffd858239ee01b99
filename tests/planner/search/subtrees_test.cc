// Verdicts on all candidates of a subtree, compared with each of them.
#include "planner/search/subtrees.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "dsl/space_size.h"
#include "planner/plan/violations.h"
#include "planner/search/candidate.h"
#include "planner/search/evaluator.h"
#include "planner/search/prefixes.h"
#include "tests/planner/search/open_sample.h"
#include "tests/planner/search/result_text.h"
#include "tests/planner/workload/lower/mixtures.h"

using planner::SearchResult;
using sample::kGpt;
using sample::kLlama;
using sample::Sets;
using sample::operator+;

namespace {

const Sets kFree{"parallelism.recompute=[none, selective, full]",
                 "parallelism.sequence_parallel=[false, true]",
                 "software.attention=[unfused, flash1, flash2]",
                 "software.fusion.softmax=[false, true]",
                 "software.fusion.bias_activation=[true, false]",
                 "software.fusion.bias_dropout_add=[false, true]",
                 "software.fusion.rope=[true, false]",
                 "software.fusion.norm=[false, true]",
                 "software.fusion.cross_entropy=[false, true]",
                 "software.fusion.gradient_cast=[true, false]",
                 "software.fusion.activation=[false, true]",
                 "software.fusion.clamp=[true, false]",
                 "software.fusion.heads=[false, true]",
                 "software.fusion.fan_out=[true, false]",
                 "software.fusion.recurrent=[true, false]",
                 "software.overlap.tensor=[false, true]",
                 "software.overlap.tensor_backward=[false, true]",
                 "software.overlap.gradients=[false, true]",
                 "software.overlap.parameters=[true, false]",
                 "software.overlap.pipeline=[false, true]",
                 "software.reduce_scatter=[false, true]"};
const Sets kShares{"parallelism.offload.optimizer=[0.5, 0, 1]", "parallelism.offload.activations=[0, 0.3, 0.9]"};
const Sets kFixed{"parallelism.tp=[1, 2, 4]",
                  "parallelism.pp=[1, 2, 4]",
                  "parallelism.interleave=[1, 2]",
                  "parallelism.schedule=[1f1b, interleaved, zb-h1, gpipe, zb-v]",
                  "parallelism.microbatch=[1, 2, 4, 8]",
                  "parallelism.zero=[0, 1, 2, 3]",
                  "parallelism.cp=[1, 2]",
                  "parallelism.order=[tp-cp-ep-dp-pp, tp-cp-ep-pp-dp]",
                  "parallelism.recompute_every=[1, 2]",
                  "cluster.gpus=[16, 32]",
                  "cluster.gpu.memory=[6 GB, 12 GB, 24 GB]",
                  "cluster.host.memory=[1 GB, 20 GB]",
                  "cluster.network[0].bandwidth=[50 GB/s, 300 GB/s]",
                  "job.precision=[bf16, fp8]",
                  "software.fsdp=[false, true]",
                  "software.scatter_gather=[false, true]",
                  "software.fusion.gradient=[false, true]",
                  "software.fusion.qkv=[false, true]",
                  "software.gather_by_broadcast=[false, true]"};

/// `count` of the rows, in any order.
Sets some_of(const Sets& rows, int count) {
  Sets left = rows, out;
  for (; count > 0 && !left.empty(); --count) {
    const auto at = left.begin() + *rc::gen::inRange<int>(0, static_cast<int>(left.size()));
    out.push_back(*at);
    left.erase(at);
  }
  return out;
}

struct Space {
  const char* text;
  Sets sets;
};

constexpr std::array kSoftware{"megatron-2021", "megatron-core", "fms-fsdp",
                               "deepspeed",     "torchtitan",    "composer-fsdp"};

Space random_space(bool shares) {
  const std::array texts{kGpt, kLlama, mixtures::kMixture};
  Space space{texts[*rc::gen::inRange<size_t>(0, texts.size())], {"job.tokens=1e9", "cluster.gpus=16"}};
  space.sets.push_back(std::string("software.use=") + kSoftware[*rc::gen::inRange<size_t>(0, kSoftware.size())]);
  space.sets = space.sets + some_of(kFixed, *rc::gen::inRange(0, 4)) + some_of(kFree, *rc::gen::inRange(2, 6));
  if (shares) space.sets = space.sets + some_of(kShares, *rc::gen::inRange(1, 3));
  return space;
}

std::optional<planner::OpenScenario> open_of(const Space& space) {
  dsl::Diagnostics diagnostics;
  std::optional<planner::OpenScenario> open = sample::try_open(space.text, space.sets, diagnostics);
  if (open && dsl::size_of(open->space, 10).candidates > 3000) return std::nullopt;
  return open;
}

/// The verdict on one subtree.
struct Said {
  planner::MemoryPeaks least, most;
  double least_seconds = 0;
};

/// Walks a space, asks of each subtree where it begins, and holds what it says against each of its candidates.
class Walk {
 public:
  explicit Walk(const planner::OpenScenario& open)
      : order_(planner::walk_order(open)),
        cursor_(open.space, order_),
        candidate_(open),
        evaluator_(open, shared_, order_),
        said_(order_.size()) {}

  int64_t subtrees = 0, candidates = 0, tight = 0;

  void run() {
    while (cursor_.next()) {
      if (cursor_.refusal() != dsl::Refusal::none) {
        candidate_.skip(cursor_);
        evaluator_.skip(cursor_);
        continue;
      }
      const planner::Scenario& s = candidate_.at(cursor_);
      evaluator_.follow(cursor_);
      if (evaluator_.broken_rule(s) < planner::layout_rule_count()) continue;
      ask(s);
      check(s);
    }
  }

 private:
  size_t around() const { return std::max<size_t>(evaluator_.free_from(), 1) - 1; }

  void ask(const planner::Scenario& s) {
    for (size_t level = std::max(cursor_.changed(), around()); level + 1 < order_.size(); ++level) {
      said_[level].reset();
      const auto least = evaluator_.memory_of_all(s, level, false), most = evaluator_.memory_of_all(s, level, true);
      if (!least) continue;
      Said& said = said_[level].emplace(Said{*least, *most});
      ++subtrees;
      evaluator_.all_decided_by_least(candidate_, s, level, [&](const planner::PlanFigures& figures) {
        said.least_seconds = std::max(said.least_seconds, figures.step.seconds);
        return false;
      });
    }
  }

  void check(const planner::Scenario& s) {
    ++candidates;
    const planner::PlanFigures figures = evaluator_.figures(s);
    const double peak = figures.memory.device.peak_bytes, host = figures.memory.host.peak_bytes,
                 seconds = figures.step.seconds;
    for (const std::optional<Said>& said : said_) {
      if (!said) continue;
      const bool good = said->least.device.peak_bytes <= peak && peak <= said->most.device.peak_bytes &&
                        said->least.host.peak_bytes <= host && host <= said->most.host.peak_bytes &&
                        said->least_seconds <= seconds;
      if (!good)
        RC_LOG() << "peak " << said->least.device.peak_bytes << " <= " << peak << " <= " << said->most.device.peak_bytes
                 << ", step " << said->least_seconds << " <= " << seconds << "\n";
      if (!good)
        for (size_t level = 0; level < order_.size(); ++level)
          RC_LOG() << level << (level >= evaluator_.free_from() ? " free " : " ")
                   << dsl::to_text(cursor_.value(order_[level])) << "\n";
      RC_ASSERT(good);
      if (seconds < 1.2 * said->least_seconds) ++tight;
    }
  }

  std::vector<size_t> order_;
  planner::SharedParts shared_;
  dsl::Cursor cursor_;
  planner::Candidate candidate_;
  planner::Evaluator evaluator_;
  std::vector<std::optional<Said>> said_;  // by level
};

}  // namespace

TEST_CASE("no candidate of a subtree takes less memory or time than all of them are said to, or more memory") {
  int64_t subtrees = 0, candidates = 0, tight = 0;
  CHECK(rc::check([&] {
    const Space space = random_space(false);
    const std::optional<planner::OpenScenario> open = open_of(space);
    RC_PRE(open.has_value());
    for (const std::string& set : space.sets) RC_LOG() << set << "\n";
    Walk walk(*open);
    walk.run();
    subtrees += walk.subtrees, candidates += walk.candidates, tight += walk.tight;
  }));
  MESSAGE(subtrees << " subtrees, " << candidates << " candidates, " << tight
                   << " with a step within a fifth of what is said");
  CHECK(subtrees > 100);
  CHECK(tight > candidates / 2);
}

TEST_CASE("a search that decides subtrees says what a search says that looks at each candidate") {
  int64_t feasible = 0, refused = 0;
  CHECK(rc::check([&] {
    const Space space = random_space(true);
    const std::optional<planner::OpenScenario> open = open_of(space);
    RC_PRE(open.has_value());
    for (const std::string& set : space.sets) RC_LOG() << set << "\n";
    const SearchResult each = planner::search(*open, {.top = 2, .exhaustive = true});
    RC_ASSERT(sample::text(each) == sample::text(planner::search(*open, {.top = 2})));
    RC_ASSERT(sample::text(each) == sample::text(planner::search(*open, {.top = 2, .threads = 2})));
    feasible += each.feasible;
    for (const char* rule : {"memory", "host-memory"})
      if (each.rejected.contains(rule)) refused += each.rejected.at(rule);
  }));
  MESSAGE(feasible << " feasible, " << refused << " refused by memory");
  CHECK(feasible > 0);
  CHECK(refused > 0);
}

TEST_CASE("a search of a large space knows good plans from the beginning, and goes on to the same ones") {
  const Sets few{"job.tokens=1e9", "parallelism.tp=[1, 2, 4]", "parallelism.pp=[1, 2, 4]",
                 "parallelism.zero=[0, 1, 2, 3]"};
  const planner::OpenScenario open =
      sample::opened(kGpt, few + kShares + Sets(kFree.begin(), kFree.begin() + 7) +
                               Sets{"software.overlap.gradients=[false, true]", "cluster.gpus=range(16, 256, 16)"});
  CHECK(dsl::size_of(open.space, 10).candidates > 1e6);
  const SearchResult whole = planner::search(open, {.top = 3});
  const std::atomic<bool> stop{true};
  const SearchResult stopped = planner::search(open, {.top = 3, .stop = &stop});
  CHECK(stopped.candidates == 0);
  REQUIRE(stopped.unfinished);
  REQUIRE(stopped.plans.size() == 3);
  CHECK(stopped.plans.front().objective < 1.2 * whole.plans.front().objective);
  CHECK(stopped.plans.front().results.hidden_comm >= 0);
  CHECK(sample::text(planner::search(open, {.top = 3, .threads = 2, .resume = &stopped})) == sample::text(whole));
}
