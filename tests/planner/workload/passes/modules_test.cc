// Selective recompute as a list of modules: what each drops and repeats, and that a list is the union of its words.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "tests/planner/sample.h"
#include "tests/planner/workload/lower/mixtures.h"

using planner::Block;
using planner::Scenario;
using planner::StepPhase;
using planner::WorkOp;
using sample::llama;
using sample::near;
using sample::Sets;
using sample::operator+;

namespace {

constexpr double kTokens = 2048, kHidden = 1024, kFfn = 2816;
using Names = std::set<std::string>;

Sets chosen(const std::string& words) { return {"parallelism.recompute=selective", "software.selective=" + words}; }

Names repeated(const Block& layer) {
  Names names;
  for (const WorkOp& op : layer.ops)
    if (op.phase == StepPhase::recompute) names.insert(op.name);
  return names;
}
double times_repeated(const Block& layer) {
  double n = 0;
  for (const WorkOp& op : layer.ops) n += op.phase == StepPhase::recompute ? op.count : 0;
  return n;
}

Scenario mixture(const Sets& sets) { return mixtures::mixture(Sets{"parallelism.ep=4"} + sets); }
const Sets kLatent{"model.latent.rank=128", "model.latent.query_rank=256", "model.latent.rotary_dim=32",
                   "model.latent.value_dim=64"};
Block last_layer(const Scenario& s) { return mixtures::expert_layer(sample::workload(s)); }

struct Row {
  const char* words;
  double dropped;
  Names again;
};

}  // namespace

TEST_CASE("of a dense layer each module drops its tensors and repeats what made them") {
  const double norms = 4 * kTokens * kHidden, product = 2 * kTokens * kFfn;
  const Row rows[] = {
      {"norm", norms, {"attention.norm", "mlp.norm"}},
      {"activation", product, {"mlp.activation"}},
      {"mlp", 3 * product, {"mlp.fc1", "mlp.activation", "mlp.fc2"}},
      {"[norm, mlp]", norms + 3 * product, {"attention.norm", "mlp.norm", "mlp.fc1", "mlp.activation", "mlp.fc2"}},
      {"inner-norm", 0, {}},
      {"latent-up", 0, {}},
      {"experts", 0, {}},
      {"shared-experts", 0, {}},
      {"core-attention", 0, {}},
  };
  const Block none = sample::workload(llama()).layer();
  for (const Row& row : rows) {
    CAPTURE(row.words);
    const Block some = sample::workload(llama(chosen(row.words))).layer();
    CHECK(near(none.saved_bytes() - some.saved_bytes(), row.dropped));
    CHECK(some.recompute_working_set == row.dropped);
    CHECK(repeated(some) == row.again);
  }
}

TEST_CASE("a whole MLP is repeated to its end, unless the software stops at the last tensor that is read") {
  const Sets stops{"software.recompute_stops=true"};
  CHECK(repeated(sample::workload(llama(chosen("mlp") + stops)).layer()) == Names{"mlp.fc1", "mlp.activation"});
  const Sets split{"parallelism.tp=2"};
  CHECK(repeated(sample::workload(llama(chosen("mlp") + split)).layer()).contains("mlp.fc2.all-reduce"));
}

TEST_CASE("of a layer with experts their modules repeat routed experts, shared ones, or all with the exchanges") {
  const Block none = last_layer(mixture({}));
  const double routed = 2 * kTokens * mixtures::kTopK * 512, shared = 2 * kTokens * 512;
  const auto dropped = [&](const char* words) {
    return none.saved_bytes() - last_layer(mixture(chosen(words))).saved_bytes();
  };
  const auto again = [](const char* words) { return repeated(last_layer(mixture(chosen(words)))); };
  CHECK(near(dropped("expert-activation"), routed));
  CHECK(again("expert-activation") == Names{"experts.activation"});
  CHECK(near(dropped("activation"), routed + shared));
  CHECK(near(dropped("shared-experts"), 3 * shared));
  CHECK(again("shared-experts") == Names{"shared.fc1", "shared.activation", "shared.fc2"});
  CHECK(dropped("mlp") == 0);
  const double inputs = 2 * kTokens * mixtures::kTopK * kHidden, scores = 9 * kTokens * mixtures::kExperts;
  CHECK(near(dropped("experts"), 3 * routed + 3 * shared + inputs + scores));
  const Names all = again("experts");
  for (const char* name :
       {"router", "router.scores", "experts.permute", "experts.dispatch", "experts.fc1", "experts.activation",
        "experts.fc2", "experts.combine", "experts.unpermute", "shared.fc1", "shared.fc2", "shared.add"})
    CHECK_MESSAGE(all.contains(name), name);
  for (const char* name : {"mlp.norm", "mlp.dropout-add", "attention.norm", "attention.fused"})
    CHECK_MESSAGE(!all.contains(name), name);
}

TEST_CASE("the named sets are lists of modules") {
  struct {
    const char *set, *modules;
  } rows[] = {{"mlp-and-norm", "[activation, norm, inner-norm]"},
              {"latent-up-and-cheap", "[latent-up, norm, inner-norm, activation]"},
              {"latent-up-and-cheap", "[mlp-and-norm, latent-up]"},
              {"norm", "[norm, norm]"}};
  for (const auto& row : rows) {
    CAPTURE(row.modules);
    const Block set = last_layer(mixture(kLatent + chosen(row.set)));
    const Block list = last_layer(mixture(kLatent + chosen(row.modules)));
    CHECK(set.saved_bytes() == list.saved_bytes());
    CHECK(set.recompute_working_set == list.recompute_working_set);
    CHECK(repeated(set) == repeated(list));
    CHECK(!repeated(set).empty());
  }
}

TEST_CASE("every list: one module more never keeps more, never repeats less, and holds no more while it repeats") {
  const std::vector<std::string> modules{"norm",    "inner-norm",        "mlp",           "latent-up",
                                         "experts", "expert-activation", "shared-experts"};
  const auto list = [&](size_t bits) {
    std::string words;
    for (size_t i = 0; i < modules.size(); ++i)
      if (bits >> i & 1) words += (words.empty() ? "" : ", ") + modules[i];
    return "[" + words + "]";
  };
  std::vector<Block> layers{last_layer(mixture(kLatent))};
  for (size_t bits = 1; bits < size_t{1} << modules.size(); ++bits)
    layers.push_back(last_layer(mixture(kLatent + chosen(list(bits)))));
  int more = 0;
  for (size_t bits = 0; bits < layers.size(); ++bits)
    for (size_t i = 0; i < modules.size(); ++i) {
      if (bits >> i & 1) continue;
      const Block &less = layers[bits], &all = layers[bits | size_t{1} << i];
      CAPTURE(list(bits | size_t{1} << i));
      CHECK(all.saved_bytes() <= less.saved_bytes());
      CHECK(times_repeated(all) >= times_repeated(less));
      const double held = less.saved_bytes() + less.recompute_working_set;
      CHECK(near(all.saved_bytes() + all.recompute_working_set, held));
      more += all.saved_bytes() < less.saved_bytes();
    }
  CHECK(more > 200);
}

TEST_CASE("of a plan: every module more takes memory away and adds time") {
  const char* lists[] = {"norm",
                         "[norm, latent-up]",
                         "[norm, latent-up, expert-activation]",
                         "[norm, latent-up, expert-activation, shared-experts]",
                         "[norm, latent-up, expert-activation, shared-experts, mlp]",
                         "[norm, latent-up, experts, mlp]"};
  const Sets layout = kLatent + Sets{"parallelism.microbatch=2"};
  planner::Plan last = sample::plan(mixture(layout));
  for (const char* words : lists) {
    CAPTURE(words);
    const planner::Plan plan = sample::plan(mixture(layout + chosen(words)));
    CHECK(plan.memory->stages.front().activations < last.memory->stages.front().activations);
    CHECK(plan.breakdown->recompute > last.breakdown->recompute);
    CHECK(plan.step->seconds > last.step->seconds);
    last = plan;
  }
}
