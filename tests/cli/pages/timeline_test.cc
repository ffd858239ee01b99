// plan --timeline: the events of the pipeline as a trace that a browser opens.
#include "cli/files/timeline.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/harness.h"

namespace {

using nlohmann::json;
using planner::Work;

const std::string kScenario = TRAINPLAN_SOURCE_DIR "/scenarios/korthikanti-175b.yaml";

struct TraceFile {
  std::string name;
  explicit TraceFile(std::string called = "trainplan_timeline_test.json") : name(std::move(called)) {
    std::remove(name.c_str());
  }
  ~TraceFile() { std::remove(name.c_str()); }
  json read() const {
    std::ifstream in(name);
    return json::parse(std::string(std::istreambuf_iterator<char>(in), {}));
  }
};

TEST_CASE("an empty timeline is a valid trace without events") {
  const json trace = json::parse(cli::trace_events({}));
  CHECK(trace.at("traceEvents").empty());
}

TEST_CASE("times are microseconds and names say what is done, and the microbatch") {
  const planner::Timeline timeline{
      .events = {{.stage = 2, .chunk = 1, .microbatch = 7, .work = Work::backward, .start = 0.5, .end = 0.75},
                 {.stage = 2, .chunk = 1, .microbatch = 7, .work = Work::weight_gradient, .start = 0.75, .end = 1}},
      .seconds = 1};
  const json events = json::parse(cli::trace_events(timeline)).at("traceEvents");
  CHECK(events.at(1).at("name") == "W7");
  CHECK(events.at(1).at("cat") == "weight gradient");
  const json& event = events.at(0);
  CHECK(event.at("name") == "B7");
  CHECK(event.at("cat") == "backward");
  CHECK(event.at("ph") == "X");
  CHECK(event.at("ts") == 500000.0);
  CHECK(event.at("dur") == 250000.0);
  CHECK(event.at("tid") == 2);
  CHECK(event.at("args").at("chunk") == 1);
}

TEST_CASE("a plan writes its pipeline beside itself: every microbatch forward and backward on every chunk") {
  const TraceFile file;
  const auto result = ran({"plan", kScenario, "--timeline", file.name, "--format", "json"});
  REQUIRE(result.status == 0);
  const json plan = json::parse(result.out), trace = file.read();
  const auto& p = plan.at("scenario").at("parallelism");
  const size_t microbatches = plan.at("scenario").at("job").at("global_batch").get<size_t>() /
                              (p.at("dp").get<size_t>() * p.at("microbatch").get<size_t>());
  const size_t parts = p.at("pp").get<size_t>() * p.at("interleave").get<size_t>();
  CHECK(trace.at("traceEvents").size() == 2 * microbatches * parts);
  double end = 0;
  std::map<int, double> busy_until;
  for (const json& e : trace.at("traceEvents")) {
    const double start = e.at("ts"), stop = start + e.at("dur").get<double>();
    CHECK(start >= busy_until[e.at("tid")] - 0.01);
    busy_until[e.at("tid")] = stop;
    end = std::max(end, stop);
  }
  CHECK(end / 1e6 <= plan.at("step").at("seconds").get<double>());
}

TEST_CASE("--rank: each of these ranks is a process of its number with the events of its stage") {
  const TraceFile all, some("trainplan_timeline_ranks_test.json");
  // Of korthikanti-175b: tp 8, pp 8, so that eight ranks are a stage.
  REQUIRE(ran({"plan", kScenario, "--timeline", all.name}).status == 0);
  REQUIRE(ran({"plan", kScenario, "--timeline", some.name, "--rank", "63,3,16-17"}).status == 0);
  std::map<int, std::vector<json>> stages, ranks;
  const json whole = all.read(), part = some.read();
  for (json e : whole.at("traceEvents")) stages[e.at("tid")].push_back(e);
  std::map<int, std::string> names, threads;
  for (json e : part.at("traceEvents")) {
    if (e.at("name") == "process_name") names[e.at("pid")] = e.at("args").at("name");
    if (e.at("name") == "thread_name") threads[e.at("pid")] = e.at("args").at("name");
    const int rank = e.at("pid");
    e["pid"] = 0;
    if (e.at("ph") == "X") ranks[rank].push_back(e);
  }
  CHECK(names == std::map<int, std::string>{{3, "rank 3: tp 3, pp 0"},
                                            {16, "rank 16: tp 0, pp 2"},
                                            {17, "rank 17: tp 1, pp 2"},
                                            {63, "rank 63: tp 7, pp 7"}});
  CHECK(threads.at(63) == "stage 7");
  REQUIRE(ranks.size() == 4);
  for (const auto& [rank, events] : ranks) CHECK(events == stages.at(rank / 8));
}

TEST_CASE("--rank: what is no rank of the plan, too many of them, and no timeline to show them in") {
  const TraceFile file;
  const auto planned = [&](const std::vector<std::string>& more) {
    std::vector<std::string> args{"plan", kScenario, "--quiet", "--timeline", file.name};
    args.insert(args.end(), more.begin(), more.end());
    return ran(args);
  };
  const Ran none = planned({"--rank", "0-64"});
  CHECK(none.status == 1);
  CHECK(none.err ==
        "error: --rank '0-64': there is no rank 64: the plan has 64, counted from 0\n"
        "hint: --rank 0, or several: --rank 0-7,12\n");
  const Ran many = planned({"--rank", "0-63", "--set", "job.global_batch=20000"});
  CHECK(many.status == 1);
  CHECK_MESSAGE(many.err.find("hint: ask for fewer ranks: those of one stage do the same\n") != std::string::npos,
                many.err);
  CHECK(planned({"--rank", "0", "--set", "job.global_batch=20000"}).status == 0);
  const Ran impossible = planned({"--rank", "0", "--set", "parallelism.tp=3"});
  CHECK(impossible.status == 3);
  CHECK(file.read().at("traceEvents").empty());
  const Ran alone = ran({"plan", kScenario, "--rank", "0"});
  CHECK(alone.status == 2);
  CHECK(alone.out.empty());
  CHECK(alone.err == "trainplan plan: --rank says whose events --timeline FILE gets: there is no --timeline\n");
}

TEST_CASE("an impossible layout leaves an empty trace and its own exit status") {
  const TraceFile file;
  const auto result = ran({"plan", kScenario, "--set", "parallelism.tp=3", "--timeline", file.name});
  CHECK(result.status == 3);
  CHECK(file.read().at("traceEvents").empty());
}

TEST_CASE("a trace that cannot be written is told with exit status 1") {
  const auto result = ran({"plan", kScenario, "--timeline", "no/such/folder/trace.json"});
  CHECK(result.status == 1);
  CHECK(result.err.find("cannot write 'no/such/folder/trace.json'") != std::string::npos);
}

TEST_CASE("other commands have no timeline") { CHECK(ran({"ops", kScenario, "--timeline", "x.json"}).status == 2); }

}  // namespace
