// plan --timeline: the events of the pipeline as a trace that a browser opens.
#include "cli/pages/timeline.h"

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
  std::string name = "trainplan_timeline_test.json";
  TraceFile() { std::remove(name.c_str()); }
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
