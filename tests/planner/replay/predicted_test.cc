// A step from execution traces and statistics of round figures: Algorithm 1 of Lin et al., in closed form.
#include "planner/replay/predicted.h"

#include <doctest/doctest.h>

#include <cmath>

#include "operator_models/models.h"
#include "planner/replay/priced_collectives.h"
#include "planner/replay/rebatch.h"
#include "planner/trace/inputs.h"
#include "planner/trace/steps.h"
#include "tests/planner/replay/machines.h"
#include "tests/planner/trace/execution_text.h"

using namespace planner::replay;
namespace trace = planner::trace;
using trace::Execution;

namespace {

const std::string kCompute = "cudaLaunchKernel ~> 7 kernel add";
const std::string kCommunicate = "cudaLaunchKernel ~> 20 communication ncclKernel_AllReduce";
const std::string kLookUp = "cudaLaunchKernel ~> 7 kernel split_embedding";
const std::string kExchange = "cudaLaunchKernel ~> 20 communication ncclKernel_SendRecv";

/// Hosts whose operators take a fixed time up to their launch, and the same after it. A launch takes 5 us of its call
/// and 8 us to its kernel.
struct Hosts {
  double operator_us = 10;
  Statistics times() const {
    Statistics times;
    const auto span = [&](const char* in, const std::string& calls, const char* before, const char* after, double us) {
      times.add({.kind = TimeKind::span, .begin = in, .end = calls, .before = before, .after = after}, us * 1e3);
    };
    span("aten::add", kCompute, "", "", 2 * operator_us);
    span("nccl:all_reduce", kCommunicate, "", "", 2 * operator_us);
    span("aten::item", "cudaStreamSynchronize waits", "", "", 0.002);
    span("wait", "cudaDeviceSynchronize waits", "", "", 0.002);
    span("look_up", kLookUp + " ; " + kLookUp, "", "", 0.003);
    span("nccl:all_to_all", kExchange, "", "", 0.002);
    for (const char* first : {"", "aten::add", "nccl:all_reduce", "aten::item", "wait"})
      for (const char* second : {"", "aten::add", "nccl:all_reduce", "aten::item", "wait"})
        span("", "", first, second, 0.001);
    times.add({.kind = TimeKind::call, .after = "cudaLaunchKernel"}, 5e3);
    times.add({.kind = TimeKind::launch, .after = "add"}, 8e3);
    return times;
  }
};

std::string tensor(int number, int64_t elements, const char* device = "cuda:0") {
  return "[" + std::to_string(number) + ", " + std::to_string(number) + ", 0, " + std::to_string(elements) + ", 4, \"" +
         device + "\"]";
}

/// A rank whose operators add up `adds` tensors, of which the last one is reduced over all ranks, added to, and waited
/// for.
Execution rank(int adds, int64_t elements = 250000) {
  sample::NodesText text;
  int64_t id = 1;
  const std::string shapes = "[[" + std::to_string(elements) + "]]", x = tensor(50, elements), y = tensor(60, elements);
  text.node({.id = id, .parent = id, .name = "[pytorch|profiler|execution_graph|thread]", .scope = 7});
  const auto op = [&](const char* name, const std::string& in, const std::string& out) {
    text.node({.id = ++id,
               .parent = 1,
               .name = name,
               .inputs = "[" + in + "]",
               .outputs = "[" + out + "]",
               .shapes = shapes});
  };
  for (int i = 0; i < adds; ++i) op("aten::add", x, x);
  op("nccl:all_reduce", x, x);
  op("aten::add", x, y);
  op("aten::item", y, "");
  Execution made = *sample::execution(text.text());
  for (trace::ExecutionNode& node : made.nodes) node.types = made.names.number("[\"Tensor(float)\"]");
  return made;
}

PredictedTrace predicted(const std::vector<Execution>& ranks, const Hosts& hosts = {},
                         const std::vector<int64_t>& begins_ns = {}) {
  static const operator_models::Machine machine = sample::machine();
  PredictedTrace made = predict(ranks, {.machine = &machine}, hosts.times(), begins_ns);
  CHECK(made.unlike == 0);
  return made;
}

double us(int64_t ns) { return static_cast<double>(ns) / 1e3; }

const trace::Event& event(const trace::RankTrace& rank, std::string_view name, size_t which = 0) {
  for (const trace::Event& each : rank.events)
    if (rank.name(each) == name && which-- == 0) return each;
  FAIL("no such event");
  return rank.events.front();
}

}  // namespace

TEST_CASE("an operator launches behind its first half, and its kernel moves its tensors") {
  const PredictedTrace made = predicted({rank(1), rank(1)});
  REQUIRE(made.wrong.empty());
  const trace::RankTrace& first = made.ranks.front();
  CHECK(us(event(first, "cudaLaunchKernel").start_ns) == doctest::Approx(10).epsilon(1e-3));
  const trace::Event& add = event(first, "add");
  CHECK(us(add.start_ns) == doctest::Approx(18).epsilon(1e-3));
  const operator_models::Machine machine = sample::machine();
  const double moving = 2e6 / 1e6 / operator_models::vector_row(machine.calibration, "elementwise").efficiency;
  CHECK(us(add.duration_ns) == doctest::Approx(moving + machine.calibration.empty_kernel.value * 1e6).epsilon(1e-3));
  CHECK(us(event(first, "aten::add").duration_ns) == doctest::Approx(25).epsilon(1e-3));
  CHECK(made.kernels == 4);
}

TEST_CASE("a collective is done on all ranks a predicted time after the last one has arrived, who is waited for") {
  struct Row {
    int first, second;               // operators before the collective
    std::vector<int64_t> begins_us;  // of each rank
    size_t last;
  };
  for (const Row& row : std::vector<Row>{{1, 1, {0, 40}, 1}, {9, 1, {}, 0}, {1, 9, {}, 1}, {9, 1, {0, 500}, 1}}) {
    CAPTURE(row.first);
    CAPTURE(row.last);
    std::vector<int64_t> begins_ns;
    for (const int64_t begin : row.begins_us) begins_ns.push_back(begin * 1000);
    const PredictedTrace made = predicted({rank(row.first), rank(row.second)}, {}, begins_ns);
    REQUIRE(made.wrong.empty());
    const trace::Matched matched = trace::match_collectives(made.ranks);
    REQUIRE(matched.collectives.size() == 1);
    const trace::Collective& collective = matched.collectives.front();
    CHECK(collective.bytes == 1'000'000);
    CHECK(collective.parts[collective.last].rank == row.last);
    CHECK(collective.parts[row.last].wait_ns == 0);
    CHECK(collective.parts[1 - row.last].wait_ns > 20'000);
    const operator_models::Machine machine = sample::machine();
    const Site site{.machine = &machine};
    const auto time = predicted_time(operator_of(collective, made.ranks, site), device_of(machine));
    CHECK(collective.transfer_ns == std::llround(time->seconds * 1e9));
  }
}

TEST_CASE("a kernel waits for the collective that filled its tensor, and a call that waits for its stream") {
  const PredictedTrace made = predicted({rank(1), rank(9)});
  for (const trace::RankTrace& each : made.ranks) {
    const int64_t reduced = event(each, "ncclKernel_AllReduce").end_ns();
    const trace::Event& after = event(each, "add", each.rank == 0 ? 1 : 9);
    CHECK(after.start_ns == reduced);
    const trace::Event& waits = event(each, "cudaStreamSynchronize");
    CHECK(waits.end_ns() == std::max(after.end_ns(), waits.start_ns + 5000));
    CHECK(trace::steps_of(each).front().host.end_ns >= after.end_ns());
  }
}

TEST_CASE("a call that waits for the device waits for a collective, too") {
  for (const bool all : {true, false}) {
    CAPTURE(all);
    std::vector<Execution> ranks{rank(1), rank(9)};
    for (Execution& each : ranks) {
      each.nodes.erase(each.nodes.end() - 2);  // what adds to the reduced tensor
      if (all) each.nodes.back().name = each.names.number("wait");
    }
    const PredictedTrace made = predicted(ranks);
    REQUIRE(made.wrong.empty());
    for (const trace::RankTrace& each : made.ranks) {
      const int64_t reduced = event(each, "ncclKernel_AllReduce").end_ns();
      const int64_t back = event(each, all ? "cudaDeviceSynchronize" : "cudaStreamSynchronize").end_ns();
      if (all) CHECK(back == reduced);
      else CHECK(back < reduced);
    }
  }
}

TEST_CASE("threads that wait for one another are followed as deep as operators, and no deeper") {
  for (const int threads : {300, 2000}) {
    sample::NodesText text;
    for (int t = 1; t <= threads; ++t) {
      const std::string frame = std::to_string(2 * t - 1), thread = std::to_string(t);
      text.node({.id = 2 * t - 1,
                 .parent = 2 * t - 1,
                 .name = "[pytorch|profiler|execution_graph|thread]",
                 .scope = 7,
                 .thread = t});
      text.raw(R"({"id": )" + std::to_string(2 * t) + R"(, "name": "aten::item", "rf_id": 5, "parent": )" + frame +
               R"(, "fw_parent": )" + std::to_string(2 * t - 2) + R"(, "seq_id": 1, "scope": 1, "tid": )" + thread +
               R"(, "fw_tid": 1, "inputs": [], "input_shapes": [], "outputs": []})");
    }
    const operator_models::Machine machine = sample::machine();
    const PredictedTrace made = predict({*sample::execution(text.text())}, {.machine = &machine}, Hosts().times(), {});
    if (threads == 300) {
      REQUIRE(made.ranks.size() == 1);
      CHECK(made.ranks.front().lanes.size() == 300);
    } else {
      REQUIRE(made.wrong.size() == 1);
      CHECK(made.wrong.front() == "'a.json': operators are nested, or wait for one another, more than 500 deep");
    }
  }
}

TEST_CASE("lookups that take nothing share what tables take evenly, and a rank without lookups has no tables") {
  operator_models::Machine machine = sample::machine();
  machine.calibration.empty_kernel = {};
  sample::NodesText looks, rests;
  for (sample::NodesText* text : {&looks, &rests})
    text->node({.id = 1, .parent = 1, .name = "[pytorch|profiler|execution_graph|thread]", .scope = 7});
  looks.node({.id = 2, .parent = 1, .name = "look_up"});
  rests.node({.id = 2, .parent = 1, .name = "aten::item"});
  const auto with = [&](std::vector<double> seconds) {
    const Sharding sharding{.lookup_seconds = std::move(seconds)};
    return predict({*sample::execution(looks.text()), *sample::execution(rests.text())}, {.machine = &machine},
                   Hosts().times(), {}, &sharding);
  };
  const PredictedTrace made = with({0.003, 0});
  REQUIRE(made.wrong.empty());
  for (const size_t which : {0, 1}) CHECK(event(made.ranks[0], "split_embedding", which).duration_ns == 1'500'000);
  CHECK(with({0.003, 0.001}).wrong ==
        std::vector<std::string>{
            "'a.json': tables take 0.001 s of rank 1, and no kernel of it is called 'split_embedding'"});
}

TEST_CASE("all-to-alls of a direction share the bytes that a placement exchanges, by their own") {
  const operator_models::Machine machine = sample::machine();
  sample::NodesText text;
  text.node({.id = 1, .parent = 1, .name = "[pytorch|profiler|execution_graph|thread]", .scope = 7});
  text.node({.id = 2, .parent = 1, .name = "look_up"});
  const auto exchange = [&](int64_t id, int64_t parent, int64_t elements) {
    text.node({.id = id,
               .parent = parent,
               .name = "nccl:all_to_all",
               .inputs = "[" + tensor(static_cast<int>(id), elements) + "]",
               .shapes = "[[" + std::to_string(elements) + "]]"});
  };
  exchange(3, 1, 1000), exchange(4, 1, 3000);
  text.node({.id = 5, .parent = 1, .name = "Backward", .scope = 1});
  exchange(6, 5, 500);
  Execution one = *sample::execution(text.text());
  for (trace::ExecutionNode& node : one.nodes) node.types = one.names.number("[\"Tensor(float)\"]");
  const Sharding sharding{.lookup_seconds = {0.001, 0.001}, .message_bytes = 40'000'000};
  const PredictedTrace made = predict({one, one}, {.machine = &machine}, Hosts().times(), {}, &sharding);
  REQUIRE(made.wrong.empty());
  const trace::Matched matched = trace::match_collectives(made.ranks);
  REQUIRE(matched.collectives.size() == 3);
  const int64_t bytes[] = {10'000'000, 30'000'000, 40'000'000};
  for (trace::Collective each : matched.collectives) {
    each.bytes = each.bytes_out = bytes[each.index];
    const auto time = predicted_time(operator_of(each, made.ranks, {.machine = &machine}), device_of(machine));
    CHECK(each.transfer_ns == std::llround(time->seconds * 1e9));
  }
  for (trace::ExecutionNode& node : one.nodes) node.types = one.names.number("[\"Tensor(int)\"]");
  CHECK(predict({one, one}, {.machine = &machine}, Hosts().times(), {}, &sharding).wrong ==
        std::vector<std::string>{"no all-to-all carries rows of embedding tables: none has a floating-point type"});
}

TEST_CASE("slower hosts make longer steps, and never shorter ones") {
  int64_t before = 0;
  for (const double operator_us : {1.0, 10.0, 100.0, 1000.0}) {
    const PredictedTrace made = predicted({rank(3), rank(5)}, {operator_us});
    const trace::Step step = trace::steps_of(made.ranks[1]).front();
    CHECK(step.host.end_ns - step.host.begin_ns > before);
    before = step.host.end_ns - step.host.begin_ns;
  }
}

TEST_CASE("a backward pass runs in its thread where the operator that asks for it waits") {
  sample::NodesText text;
  const std::string shapes = "[[8]]", x = "[" + tensor(5, 8) + "]";
  text.node({.id = 1, .parent = 1, .name = "[pytorch|profiler|execution_graph|thread]", .scope = 7});
  text.node({.id = 2, .parent = 1, .name = "backward", .scope = 7});
  text.node({.id = 3, .parent = 2, .name = "aten::add", .inputs = x, .shapes = shapes});
  text.node({.id = 4, .parent = 4, .name = "[pytorch|profiler|execution_graph|thread]", .scope = 7, .thread = 2});
  text.raw(R"({"id": 5, "name": "aten::add", "rf_id": 5, "parent": 4, "fw_parent": 2, "seq_id": 1, "scope": 1,
    "tid": 2, "fw_tid": 1, "inputs": )" +
           x + R"(, "input_shapes": [[8]], "outputs": []})");
  text.node({.id = 6, .parent = 2, .name = "aten::item", .inputs = x, .shapes = shapes});
  const operator_models::Machine machine = sample::machine();
  const PredictedTrace made = predict({*sample::execution(text.text())}, {.machine = &machine}, Hosts().times(), {});
  REQUIRE(made.wrong.empty());
  const trace::RankTrace& rank = made.ranks.front();
  const trace::Event &forward = event(rank, "aten::add", 0), &backward = event(rank, "aten::add", 1);
  CHECK(rank.lane(forward).thread == 1);
  CHECK(rank.lane(backward).thread == 2);
  CHECK(backward.start_ns > forward.end_ns());
  CHECK(event(rank, "aten::item").start_ns > backward.end_ns());
}

TEST_CASE("what cannot be predicted says why") {
  const operator_models::Machine machine = sample::machine();
  Execution unsized = rank(1);
  for (trace::ExecutionNode& node : unsized.nodes) node.types = trace::kNone;
  Execution empty = rank(1), more = rank(1);
  empty.nodes.clear();
  more.nodes.push_back(more.nodes[2]);
  more.nodes.back().id = 99;
  CHECK(more.name(more.nodes.back()) == "nccl:all_reduce");
  struct Row {
    std::vector<Execution> ranks;
    const char* wrong;
  };
  for (const Row& row : std::vector<Row>{
           {{unsized, unsized}, "'ncclKernel_AllReduce' has no price: the trace does not say how many bytes it moves"},
           {{rank(1, int64_t{1} << 60), rank(1)}, "'add' would take"},
           {{rank(1), empty}, "'a.json' has no operators"},
           {{rank(1), more}, "different numbers"}}) {
    const PredictedTrace made = predict(row.ranks, {.machine = &machine}, Hosts().times(), {});
    CHECK(made.ranks.empty());
    REQUIRE(!made.wrong.empty());
    CHECK_MESSAGE(made.wrong.front().find(row.wrong) != std::string::npos, made.wrong.front());
  }
}

TEST_CASE("another batch changes tensors of the batch, their views, and nothing else") {
  sample::NodesText text;
  const auto of = [](int number, int storage, int64_t elements) {
    return "[" + std::to_string(number) + ", " + std::to_string(storage) + ", 0, " + std::to_string(elements) +
           R"(, 4, "cuda:0"])";
  };
  text.node({.id = 1, .parent = 1, .name = "[pytorch|profiler|execution_graph|thread]", .scope = 7});
  text.node({.id = 2,
             .parent = 1,
             .name = "aten::addmm",
             .inputs = "[" + of(1, 1, 3) + ", " + of(2, 2, 64) + ", " + of(3, 3, 12) + "]",
             .outputs = "[" + of(4, 4, 48) + "]",
             .shapes = "[[3], [16, 4], [4, 3]]"});
  text.node({.id = 3,
             .parent = 1,
             .name = "aten::view",
             .inputs = "[" + of(2, 2, 64) + "]",
             .outputs = "[" + of(9, 2, 64) + "]",
             .shapes = "[[16, 4], []]"});
  text.node({.id = 4, .parent = 1, .name = "nccl:all_to_all", .inputs = "[" + of(9, 2, 64) + "]", .shapes = "[[64]]"});
  Execution made = *sample::execution(text.text());
  CHECK(batch_of(made) == 16);
  CHECK(rebatch(made, 16, 64, 2).empty());
  const auto shapes = [&](size_t node) { return made.names[made.nodes[node].shapes]; };
  CHECK(shapes(1) == "[[3], [64, 4], [4, 3]]");
  CHECK(shapes(2) == "[[64, 4], []]");
  CHECK(shapes(3) == "[[256]]");
  CHECK(made.nodes[1].inputs[0].elements == 3);
  CHECK(made.nodes[1].inputs[1].elements == 256);
  CHECK(made.nodes[3].inputs[0].elements == 256);
  CHECK(batch_of(Execution{}) == 0);
}

TEST_CASE("a weight whose first size is the batch stays as it is, and so do its views") {
  sample::NodesText text;
  text.node({.id = 1, .parent = 1, .name = "[pytorch|profiler|execution_graph|thread]", .scope = 7});
  text.node({.id = 2,
             .parent = 1,
             .name = "aten::t",
             .inputs = "[[2, 2, 0, 64, 4, \"cuda:0\"]]",
             .outputs = "[[3, 2, 0, 64, 4, \"cuda:0\"]]",
             .shapes = "[[16, 4]]"});
  text.node({.id = 3,
             .parent = 1,
             .name = "aten::linear",
             .inputs = "[" + tensor(1, 64) + ", " + tensor(2, 64) + ", " + tensor(5, 16) + "]",
             .outputs = "[" + tensor(6, 256) + "]",
             .shapes = "[[16, 4], [16, 4], [16]]"});
  Execution made = *sample::execution(text.text());
  CHECK(rebatch(made, 16, 64, 1).empty());
  CHECK(made.names[made.nodes[1].shapes] == "[[16, 4]]");
  CHECK(made.names[made.nodes[2].shapes] == "[[64, 4], [16, 4], [16]]");
  CHECK(made.nodes[2].inputs[0].elements == 256);
  CHECK(made.nodes[2].inputs[1].elements == 64);
  CHECK(made.nodes[2].inputs[2].elements == 16);
}

TEST_CASE("a batch that no number holds is refused") {
  for (const auto& [to, ranks] : {std::pair{int64_t{1} << 62, int64_t{1}}, {64, int64_t{1} << 60}}) {
    sample::NodesText text;
    text.node({.id = 1, .parent = 1, .name = "[pytorch|profiler|execution_graph|thread]", .scope = 7});
    text.node({.id = 2,
               .parent = 1,
               .name = "aten::linear",
               .inputs = "[" + tensor(1, 64) + ", " + tensor(2, 8) + "]",
               .shapes = "[[16, 4], [2, 4]]"});
    Execution made = *sample::execution(text.text());
    const std::string wrong = rebatch(made, 16, to, ranks);
    CHECK_MESSAGE(wrong.find(ranks == 1 ? "'a.json': a size of 64 would become 1.84e+19"
                                        : "'a.json': a batch of 16 on 1152921504606846976 ranks is too large") == 0,
                  wrong);
  }
}
