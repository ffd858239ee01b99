// A replay as a timeline: what a viewer would show of it.
#include "cli/files/replay_timeline.h"

#include <doctest/doctest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "tests/planner/trace/kineto_text.h"

using json = nlohmann::ordered_json;
using sample::KinetoText;
using sample::ranked;

namespace {

planner::trace::Trace two_ranks() {
  return sample::trace({ranked(0, 2).kernel("gemm", 7, 10, 5).kernel("ncclAll(x)", 9, 20, 85),
                        ranked(1, 2).kernel("gemm", 7, 10, 80).kernel("ncclAll(x)", 9, 100, 5)});
}

json timeline(const planner::trace::Trace& trace, const planner::replay::Edits& edits = {},
              const std::optional<std::vector<int64_t>>& ranks = std::nullopt) {
  const cli::Measured measured(trace, {.offsets_ns = {0, 0}, .drifts_ns = {0, 0}, .notes = {}}, edits);
  std::string text;
  cli::write_replay_timeline(
      measured, [&](std::string_view piece) { text += piece; }, ranks);
  return json::parse(text)["traceEvents"];
}

/// "10-15" of each event, by rank, category and name.
std::map<std::string, std::string> spans(const json& events) {
  std::map<std::string, std::string> out;
  for (const json& event : events) {
    if (event["ph"] != "X") continue;
    const auto begin = static_cast<int>(event["ts"]), end = begin + static_cast<int>(event["dur"]);
    out[std::to_string(static_cast<int>(event["pid"])) + " " + event["cat"].get<std::string>() + " " +
        event["name"].get<std::string>()] = std::to_string(begin) + "-" + std::to_string(end);
  }
  return out;
}

}  // namespace

TEST_CASE("a collective is the wait for the last rank and the transfer; times count from the first begin") {
  const auto rows = spans(timeline(two_ranks()));
  CHECK(rows.at("0 compute gemm") == "1-6");
  CHECK(rows.at("0 wait ncclAll (waits)") == "11-91");
  CHECK(rows.at("0 communication ncclAll(x)") == "91-96");
  CHECK(rows.at("1 wait ncclAll (waits)") == "91-91");
  CHECK(rows.at("1 communication ncclAll(x)") == "91-96");
  CHECK(rows.at("0 call cudaLaunchKernel") == "10-11");
  CHECK(rows.at("2 transfer ncclAll").ends_with("-96"));  // the critical path
}

TEST_CASE("a timeline shows what was changed, and then no critical path of what was measured") {
  const auto rows = spans(timeline(two_ranks(), {.scalings = {{"gemm", 0.5, {}}}}));
  CHECK(rows.at("1 compute gemm") == "1-41");
  for (const auto& [name, span] : rows) CHECK_FALSE(name.starts_with("2 "));
}

TEST_CASE("ranks, threads and streams of a timeline have names") {
  std::vector<std::string> names;
  for (const json& event : timeline(two_ranks()))
    if (event["ph"] == "M") names.push_back(event["args"]["name"]);
  CHECK(names == std::vector<std::string>{"rank 0", "thread 1", "device 0 stream 7", "device 0 stream 9", "rank 1",
                                          "thread 1", "device 0 stream 7", "device 0 stream 9", "critical path"});
}

TEST_CASE("of some ranks a timeline has their events as they are among all, and what of the path is theirs") {
  const json all = timeline(two_ranks()), one = timeline(two_ranks(), {}, {{0}});
  json expected;
  for (const json& event : all) {
    const bool is_path = event["pid"] == 2 && event["ph"] == "X";
    if (event["pid"] == 0 || (event["pid"] == 2 && !is_path) || (is_path && event["args"]["rank"] == 0))
      expected.push_back(event);
  }
  CHECK(one == expected);
  CHECK(one.size() < all.size());
  CHECK(timeline(two_ranks(), {}, {{0, 1}}) == all);
}

TEST_CASE("pieces of a long timeline join to one text") {
  std::string text;
  size_t pieces = 0;
  cli::TraceEvents events([&](std::string_view piece) { text += piece, ++pieces; });
  for (int i = 0; i < 10'000; ++i) events.add({.name = "a \"name\"\n", .category = "c", .start_us = i * 1.0});
  events.end();
  CHECK(pieces > 2);
  const json parsed = json::parse(text)["traceEvents"];
  REQUIRE(parsed.size() == 10'000);
  CHECK(parsed[9'999]["name"] == "a \"name\"\n");
  CHECK(parsed[9'999]["ts"] == 9999.0);
}
