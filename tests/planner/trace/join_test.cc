// An execution trace and events of the same rank.
#include "planner/trace/join.h"

#include <doctest/doctest.h>

#include "tests/planner/trace/execution_text.h"

using namespace planner::trace;
using sample::KinetoText;

namespace {

/// Events of what `sample::training` runs, of another iteration: numbers differ, and names of a step stand around them.
KinetoText events(int64_t process = 100) {
  KinetoText text;
  const auto op = [&](const char* name, const char* thread, int begin, int duration, const std::string& more = "") {
    text.event("cpu_op", name, process, thread, std::to_string(begin), std::to_string(duration), more);
  };
  text.event("user_annotation", "ProfilerStep#7", process, "501", "0", "100");
  op("aten::ones", "501", 1, 10);
  op("aten::empty", "501", 2, 5);
  op("aten::zero_", "501", 12, 2);
  op("aten::linear", "501", 20, 10);
  op("aten::mm", "501", 21, 8, R"("Input Dims": [[3, 4], [4, 2]], "Sequence number": 900)");
  op("MmBackward0", "502", 50, 10);
  return text;
}

std::string name_of_event(const RankTrace& rank, uint32_t event) {
  return event == kNone ? "-" : rank.name(rank.events[event]);
}

RankTrace rank_of(const std::string& file, int64_t process) {
  RankTrace rank = sample::rank(events(process).text()).value();
  rank.file = file;
  return rank;
}
Execution execution_of(const std::string& file, int64_t process) {
  Execution execution = sample::execution(sample::training(sample::NodesText::Schema::members, process).text()).value();
  execution.file = file;
  return execution;
}

}  // namespace

TEST_CASE("operators are joined by thread, name and order") {
  const RankTrace rank = rank_of("k", 100);
  const Execution execution = execution_of("e", 100);
  const Joined joined = join(rank, execution);
  CHECK(joined.nodes == 5);
  CHECK(joined.operators == 7);
  CHECK(joined.joined == 5);
  CHECK(joined.share_of_nodes() == 1);
  CHECK(joined.shapes == 1);
  CHECK(joined.equal_shapes == 1);
  REQUIRE(joined.threads.size() == 2);
  CHECK(joined.threads[0].thread == 1);
  CHECK(rank.lanes[joined.threads[0].lane].thread == 501);
  CHECK(rank.lanes[joined.threads[1].lane].thread == 502);
  for (uint32_t i = 0; i < execution.nodes.size(); ++i) {
    const bool metadata = execution.nodes[i].type == NodeType::metadata;
    const std::string name = metadata ? "-" : execution.name(execution.nodes[i]);
    CHECK(name_of_event(rank, joined.event_of[i]) == name);
    if (!metadata) CHECK(joined.node_of[joined.event_of[i]] == i);
  }
  const std::vector<Dependency> tensors = of_events(tensor_dependencies(execution), joined);
  REQUIRE(tensors.size() == 3);
  CHECK(name_of_event(rank, tensors[0].from) == "aten::empty");
  CHECK(name_of_event(rank, tensors[0].to) == "aten::linear");
  CHECK(name_of_event(rank, tensors[2].to) == "MmBackward0");
}

TEST_CASE("nodes without an event have none, and their dependencies are left out") {
  KinetoText text;
  text.event("cpu_op", "aten::linear", 100, "501", "20", "10");
  text.event("cpu_op", "MmBackward0", 100, "502", "50", "10");
  const RankTrace rank = sample::rank(text.text()).value();
  const Execution execution = execution_of("e", 100);
  const Joined joined = join(rank, execution);
  CHECK(joined.joined == 2);
  CHECK(joined.share_of_nodes() == doctest::Approx(0.4));
  CHECK(joined.shapes == 0);
  CHECK(of_events(tensor_dependencies(execution), joined).empty());
}

TEST_CASE("shapes that differ are counted") {
  KinetoText text;
  text.event("cpu_op", "aten::mm", 100, "1", "20", "10", R"("Input Dims": [[3, 5], [5, 2]])");
  const Joined joined = join(sample::rank(text.text()).value(), execution_of("e", 100));
  CHECK(joined.shapes == 1);
  CHECK(joined.equal_shapes == 0);
}

TEST_CASE("files belong together by process, else by their order") {
  std::vector<RankTrace> ranks;
  ranks.push_back(rank_of("k0", 100)), ranks.push_back(rank_of("k1", 200));
  std::vector<Execution> executions;
  executions.push_back(execution_of("e1", 200)), executions.push_back(execution_of("e0", 100));
  Pairing pairing = pair_files(ranks, executions);
  CHECK(pairing.wrong.empty());
  CHECK(pairing.notes.empty());
  CHECK(pairing.rank_of == std::vector<uint32_t>{1, 0});

  executions[0].process = -1;
  pairing = pair_files(ranks, executions);
  CHECK(pairing.rank_of == std::vector<uint32_t>{1, 0});
  CHECK(pairing.notes == std::vector<std::string>{
                             "'e1' is taken as of the rank of 'k1', by their order: it has no events of its process"});

  executions[0].process = 100;
  CHECK(pair_files(ranks, executions).wrong == "'e1' and 'e0' are both of process 100, whose events 'k0' has");

  executions[0].process = executions[1].process = 999;
  CHECK(pair_files(ranks, executions).rank_of == std::vector<uint32_t>{0, 1});
  executions.pop_back();
  CHECK(pair_files(ranks, executions).wrong.starts_with("no events are of the process of 'e1'"));
}

TEST_CASE("processes of one number on several hosts say nothing") {
  std::vector<RankTrace> ranks;
  ranks.push_back(rank_of("k0", 8)), ranks.push_back(rank_of("k1", 8));
  std::vector<Execution> executions;
  executions.push_back(execution_of("e0", 8)), executions.push_back(execution_of("e1", 8));
  const Pairing pairing = pair_files(ranks, executions);
  CHECK(pairing.rank_of == std::vector<uint32_t>{0, 1});
  CHECK(pairing.notes.size() == 2);
}

TEST_CASE("of events of several steps those of one are joined, in all threads the same") {
  KinetoText text;
  for (int step = 0; step < 3; ++step) {
    const auto at = [&](int us) { return std::to_string(100 * step + us); };
    text.event("user_annotation", "ProfilerStep#" + std::to_string(step), 100, "501", at(0), "100");
    text.event("cpu_op", "aten::linear", 100, "501", at(10), "10");
    if (step == 1) text.event("cpu_op", "aten::mm", 100, "501", at(11), "5");
    text.event("cpu_op", "MmBackward0", 100, "502", at(50), "10");
  }
  const RankTrace rank = sample::rank(text.text()).value();
  sample::NodesText nodes;
  nodes.node({.id = 1, .parent = 1, .name = "[pytorch|profiler|execution_graph|thread]"});
  nodes.node({.id = 2, .parent = 1, .name = "aten::linear"});
  nodes.node({.id = 3, .parent = 2, .name = "aten::mm"});
  nodes.node({.id = 4, .parent = 1, .name = "MmBackward0", .thread = 2});
  const Joined joined = join(rank, sample::execution(nodes.text()).value());
  CHECK(joined.joined == 3);
  for (const uint32_t event : joined.event_of)
    if (event != kNone) CHECK(rank.events[event].start_ns / 100'000 == 1);
}
