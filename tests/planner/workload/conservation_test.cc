// What must hold of every plan: parts sum to the whole, more hardware never hurts, bounds enclose the model.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "planner/plan/timeline.h"
#include "planner/plan/uncertainty.h"
#include "planner/schedule/schedule.h"
#include "planner/search/search.h"
#include "tests/planner/search/open_sample.h"
#include "tests/planner/workload/lower/mixtures.h"

using planner::Plan;
using planner::Scenario;
using sample::gpt;
using sample::llama;
using sample::near;
using sample::Sets;

namespace {

struct Shipped {
  std::string name;
  Scenario scenario;
};

/// The shipped scenarios with one fixed layout.
const std::vector<Shipped>& shipped() {
  static const std::vector<Shipped> all = [] {
    std::vector<Shipped> found;
    for (const auto& entry : std::filesystem::directory_iterator(TRAINPLAN_SOURCE_DIR "/scenarios")) {
      if (entry.path().extension() != ".yaml") continue;
      std::ifstream file(entry.path());
      std::stringstream text;
      text << file.rdbuf();
      dsl::Diagnostics diagnostics;
      const auto open = sample::try_open(text.str(), {}, diagnostics, entry.path().parent_path());
      REQUIRE(open.has_value());
      if (planner::choice_names(open->space).empty())
        found.push_back({entry.path().stem(), sample::load(text.str(), {}, entry.path().parent_path()).scenario});
    }
    std::ranges::sort(found, {}, &Shipped::name);
    return found;
  }();
  return all;
}

template <class T> T any(std::initializer_list<T> of) { return *rc::gen::elementOf(std::vector<T>(of)); }
std::string set(const char* path, const std::string& value) { return std::string(path) + "=" + value; }
std::string set(const char* path, int64_t value) { return set(path, std::to_string(value)); }

/// What a mixture may add to a layout: expert ranks, ways to send tokens, latents, windows, prediction layers.
Sets any_experts(int64_t tp) {
  Sets sets{set("parallelism.ep", any({1, 2, 4, 8})),
            set("parallelism.etp", any<int64_t>({1, tp})),
            set("software.experts.dispatch", std::string(any({"all-to-all", "per-node", "all-gather"}))),
            set("software.experts.overlap_shared", std::string(any({"true", "false"}))),
            set("software.experts.grouped", std::string(any({"true", "false"}))),
            set("model.experts.groups_per_token", any({1, 2, 4})),
            set("model.mtp", any({0, 0, 1})),
            set("model.window.size", any({0, 512}))};
  if (*rc::gen::arbitrary<bool>())
    sets.insert(sets.end(), {"model.latent.rank=128", "model.latent.query_rank=256", "model.latent.rotary_dim=32"});
  return sets;
}

/// A layout that can be built, of 64 GPUs and one of four kinds of software.
Scenario any_scenario() {
  const int64_t tp = any({1, 2, 4, 8}), pp = any({1, 2, 4}), interleave = pp > 1 ? any({1, 2}) : 1;
  const int kind = any({0, 1, 2});  // GPT, LLaMA, a mixture
  const int64_t zero = any({0, 1, 1, 2, 3});
  const char* software =
      zero >= 2 ? "torchtitan" : any({"megatron-core", "megatron-2021", "megatron-deepspeed", "internevo"});
  Sets sets{
      "cluster.gpus=64",
      set("software", std::string("{use: ") + software + "}"),
      set("parallelism.tp", tp),
      set("parallelism.pp", pp),
      set("parallelism.interleave", interleave),
      set("parallelism.zero", zero),
      set("parallelism.microbatch", any({1, 2})),
      set("job.global_batch", 64 / (tp * pp) * 2 * pp * any({1, 3})),
      set("parallelism.recompute", std::string(any({"none", "selective", "full"}))),
      set("parallelism.sequence_parallel", std::string(tp > 1 && *rc::gen::arbitrary<bool>() ? "true" : "false"))};
  if (pp > 1 && interleave == 1 && *rc::gen::arbitrary<bool>()) sets.push_back("parallelism.schedule=zb-h1");
  Scenario s = kind == 0   ? gpt(sets)
               : kind == 1 ? llama(sets)
                           : mixtures::mixture(sample::operator+(sets, any_experts(tp)));
  RC_PRE(planner::layout_violations(s).empty());
  return s;
}

void check_sums(const Scenario& s, const Plan& p) {
  CHECK(p.breakdown->sum() == p.step->seconds);
  for (const planner::BreakdownPart& part : planner::kBreakdownParts) {
    CAPTURE(part.name);
    const double seconds = (*p.breakdown).*part.seconds;
    CHECK(seconds >= 0);
    CHECK(std::isfinite(seconds));
  }
  CHECK(p.step->low_seconds <= p.step->seconds);
  CHECK(p.step->seconds <= p.step->high_seconds);
  double exposed = 0;
  for (const planner::CommunicationRow& row : p.communication) {
    CAPTURE(row.name);
    CHECK(near(row.hidden_seconds + row.exposed_seconds, row.seconds));
    CHECK(row.hidden_seconds >= 0);
    CHECK(row.exposed_seconds >= 0);
    CHECK((row.ranks > 1 || row.kind == "host-copy"));
    CHECK(!row.tiers.empty());
    exposed += row.exposed_seconds;
  }
  CHECK(std::abs(exposed - (p.breakdown->serialized_comm + p.breakdown->exposed_comm)) <= 1e-9 * p.step->seconds);
  double peak = 0;
  for (const planner::StageMemory& m : p.memory->stages) {
    CHECK(m.weights + m.gradients + m.optimizer + m.activations + m.temporary + m.fragmentation + m.device_overhead ==
          doctest::Approx(m.total()).epsilon(1e-15));
    peak = std::max(peak, m.total());
  }
  CHECK(p.memory->device.peak_bytes == peak);
  CHECK(p.memory->stages.size() == static_cast<size_t>(s.parallelism.pp));
}

/// FLOPs that all ranks execute in matrix operators in one step.
double executed(const Scenario& s) {
  const Plan p = sample::plan(s);
  return p.throughput->hfu * p.step->seconds * static_cast<double>(s.cluster.gpus) * p.throughput->peak_flops_per_gpu;
}

double seconds(const Scenario& s) { return sample::plan(s).step->seconds; }

/// The matrix FLOPs of a step, summed over ranks, stages and microbatches.
double matrix_flops(const Scenario& s) {
  const planner::Workload w = sample::workload(s);
  auto of = [](const planner::Block& b) {
    double flops = 0;
    for (const planner::WorkOp& op : b.ops) flops += sample::gemm_flops(op);
    return flops;
  };
  double flops = 0;
  for (int id : w.class_of_stage)
    for (const planner::Chunk& c : w.classes[static_cast<size_t>(id)].chunks)
      for (size_t i = 0; i < c.size(); ++i) flops += static_cast<double>(c[i]) * of(w.blocks[i]);
  return flops * static_cast<double>(w.microbatches * s.parallelism.tp * s.parallelism.dp);
}

}  // namespace

TEST_CASE("the parts of every shipped plan sum to the whole") {
  CHECK(shipped().size() >= 12);
  for (const Shipped& each : shipped()) {
    CAPTURE(each.name);
    check_sums(each.scenario, sample::plan(each.scenario));
  }
}

TEST_CASE("the parts of any plan sum to the whole") {
  CHECK(rc::check([] {
    const Scenario s = any_scenario();
    check_sums(s, sample::plan(s));
  }));
}

TEST_CASE("closed form and event timeline agree within 1 % on every shipped scenario") {
  for (const Shipped& each : shipped()) {
    CAPTURE(each.name);
    planner::CostedWorkload costed = planner::cost_workload(each.scenario, sample::workload(each.scenario));
    planner::Pipelined pipeline = planner::make_pipelined(each.scenario, costed);
    const planner::Breakdown b = planner::make_step(each.scenario, costed, pipeline).breakdown;
    CHECK(near(pipeline.time.seconds, planner::make_timeline(each.scenario).seconds, 0.01));
    const planner::CostedStage& stage = costed.classes[pipeline.stage_class];
    const planner::StageTime& t = stage.sums.time;
    const double host_inside =
        static_cast<double>(pipeline.microbatches) * (t.forward.host + t.backward.host + t.recompute.host);
    double around = b.overhead / planner::error_shift(each.scenario) - host_inside;
    for (const planner::CostedOp& op : stage.step_ops)
      around += op.work->count * (op.communication ? op.exposed : op.cost.seconds.value);
    CHECK(near(b.sum(), planner::error_shift(each.scenario) * (pipeline.time.seconds + around), 1e-9));
  }
}

TEST_CASE("sharding conserves the matrix work: the sum over ranks is that of one GPU") {
  const double one = matrix_flops(gpt({"cluster.gpus=1"}));
  CHECK(near(one, 3 * planner::forward_flops(gpt().model, 64 * 1024, 1024, false), 1e-12));
  for (int64_t tp : {1, 2, 4, 8})
    for (int64_t pp : {1, 2, 4})
      for (int64_t dp : {1, 2, 4}) {
        CAPTURE(tp);
        CAPTURE(pp);
        CAPTURE(dp);
        const Scenario s =
            gpt({set("cluster.gpus", tp * pp * dp), set("parallelism.tp", tp), set("parallelism.pp", pp)});
        CHECK(near(matrix_flops(s), one, 1e-12));
      }
}

TEST_CASE("only copied key/value heads add work: 8 tensor ranks on 4 heads project K and V twice") {
  const Scenario four = llama({"parallelism.tp=4"}), eight = llama({"parallelism.tp=8"});
  const double tokens = 64 * 2048,
               copies = 3 * 2 * tokens * 1024 * (2 * 4 * 64) * 8;  // 4 more heads of 64, K and V, 8 layers
  CHECK(near(matrix_flops(eight) - matrix_flops(four), copies, 1e-9));
}

TEST_CASE("executed FLOPs are at least the model's, and full recompute adds the layers' forward") {
  for (const Shipped& each : shipped()) {
    CAPTURE(each.name);
    const Plan p = sample::plan(each.scenario);
    // The first of a list of operators has no input gradient.
    const double least = each.scenario.model.operators.empty() ? 1 - 1e-9 : 0.98;
    CHECK(p.throughput->hfu >= p.throughput->mfu * least);
    CHECK(p.throughput->mfu <= p.throughput->mfu_full_attention);
  }
  const Sets tensor{"parallelism.tp=4"};
  const double none = executed(gpt(tensor)),
               full = executed(gpt(sample::operator+(tensor, {"parallelism.recompute=full"})));
  const double layers = planner::forward_flops(gpt().model, 64 * 1024, 1024, false) - 2.0 * 1024 * 51200 * 64 * 1024;
  CHECK(near(full - none, layers, 0.02));
}

TEST_CASE("more peak, bandwidth or network never slows a step") {
  CHECK(rc::check([] {
    const Scenario s = any_scenario();
    Scenario faster = s;
    const double factor = any({1.1, 2.0, 8.0});
    switch (*rc::gen::inRange(0, 4)) {
      case 0:
        for (auto* peak : {&faster.cluster.gpu.flops.bf16, &faster.cluster.gpu.flops.fp16})
          if (*peak) (*peak)->value *= factor;
        break;
      case 1:
        faster.cluster.gpu.memory_bandwidth.value *= factor;
        break;
      case 2:
        faster.cluster.network.front().bandwidth.value *= factor;
        break;
      default:
        faster.cluster.network.back().bandwidth.value *= factor;
    }
    const double before = seconds(s), after = seconds(faster);
    INFO(before, " s, then ", after, " s");
    RC_ASSERT(after <= before * (1 + 1e-9));
  }));
}

TEST_CASE("no overlap is an upper and perfect overlap a lower bound of the step") {
  CHECK(rc::check([] {
    const Scenario s = any_scenario();
    Scenario none = s, perfect = s;
    none.software.overlap = {
        .tensor = false, .tensor_backward = false, .gradients = false, .parameters = false, .pipeline = false};
    perfect.software.overlap = {
        .tensor = true, .tensor_backward = true, .gradients = true, .parameters = true, .pipeline = true};
    perfect.calibration.contention.clear();
    const double modelled = seconds(s), upper = seconds(none), lower = seconds(perfect);
    INFO(lower, " <= ", modelled, " <= ", upper);
    RC_ASSERT(lower <= modelled * (1 + 1e-9));
    RC_ASSERT(modelled <= upper * (1 + 1e-9));
  }));
}

TEST_CASE("fewer layers, tokens or parameters are never slower") {
  for (const Sets& layout :
       {Sets{"parallelism.tp=8"}, Sets{"parallelism.pp=4", "parallelism.tp=2"}, Sets{"parallelism.zero=1"}}) {
    auto with = [&](const char* more) { return seconds(gpt(sample::operator+(layout, {more}))); };
    const double base = seconds(gpt(layout));
    CHECK(with("model.layers=4") < base);
    CHECK(with("job.sequence=512") < base);
    CHECK(with("job.global_batch=32") < base);
    CHECK(with("model.vocab=25600") < base);
    CHECK(with("model.ffn=2048") < base);
    CHECK(with("parallelism.recompute=full") > base);
    CHECK(with("software.straggling=0.01") >= base);
    CHECK(with("software.step_overhead=1 ms") > base);
  }
}

TEST_CASE("a forward-only job has no backward pass, no optimizer and no gradients") {
  for (const Sets& layout : {Sets{}, Sets{"parallelism.tp=8"}, Sets{"parallelism.pp=4", "parallelism.tp=2"}}) {
    const Scenario s = gpt(sample::operator+(layout, {"job.phase=forward"}));
    const Plan p = sample::plan(s);
    CHECK(p.breakdown->backward == 0);
    CHECK(p.breakdown->optimizer == 0);
    CHECK(p.memory->stages[0].gradients == 0);
    CHECK(p.throughput->hfu < 1);
    check_sums(s, p);
    for (const planner::CommunicationRow& row : p.communication)
      CHECK_MESSAGE(row.name.find("dgrad") == std::string::npos, row.name);
  }
}

TEST_CASE("a plan is a function of its scenario: twice the same bits") {
  for (const Shipped& each : shipped()) {
    const Plan a = sample::plan(each.scenario), b = sample::plan(each.scenario);
    CHECK(a.step->seconds == b.step->seconds);
    CHECK(a.step->high_seconds == b.step->high_seconds);
    CHECK(a.memory->device.peak_bytes == b.memory->device.peak_bytes);
  }
}
