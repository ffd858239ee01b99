// `trainplan replay` of what BytePS writes: which worker is the straggler, and what would help.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/dsl/folder.h"
#include "tests/planner/trace/byteps_text.h"
#include "tests/planner/trace/dpro_text.h"

using Json = nlohmann::ordered_json;
using sample::ServerText;
using sample::WorkerText;
using Words = std::vector<std::string>;

namespace {

/// Two rounds of three workers, the second of which is the last to push in both.
std::string profile() {
  ServerText text;
  text.push(9, 26148864, 100, 110).push(13, 26148864, 130, 150).push(11, 26148864, 200, 240);
  text.pull(9, 26148864, 120, 260).pull(13, 26148864, 170, 265).pull(11, 26148864, 245, 270);
  text.push(9, 26148864, 310, 320).push(13, 26148864, 315, 335).push(11, 26148864, 370, 410);
  text.pull(9, 26148864, 330, 430).pull(13, 26148864, 340, 425).pull(11, 26148864, 415, 440);
  return text.event("push-9", 'B', 26148864, 480).text() + ",\n\t\t{\"name\": \"pu";
}

Ran replay(const Words& paths, const Words& more = {}) {
  Words args{"replay"};
  args.insert(args.end(), paths.begin(), paths.end());
  args.insert(args.end(), more.begin(), more.end());
  return ran(args, "", 80);
}

std::string changed(const Words& paths, Words more) {
  more.insert(more.end(), {"--format", "json"});
  const Ran r = replay(paths, more);
  REQUIRE_MESSAGE(r.status == 0, r.err);
  std::string out;
  const Json doc = Json::parse(r.out);
  for (const Json& rank : doc["ranks"]) out += fmt::format("{:.0f} ", rank["changed_seconds"].get<double>() * 1e6);
  return out;
}

}  // namespace

TEST_CASE("a server's profile alone says which worker is the straggler") {
  TestFolder folder;
  const Words paths{folder.add("server_profile.json", profile())};
  const Ran r = replay(paths);
  CHECK_MESSAGE(r.status == 0, r.err);
  CHECK(r.err.find("ends in the middle of rounds, whose requests are left out: 1 that had not ended, 0 that had") !=
        std::string::npos);
  CHECK(
      r.out.starts_with("3 ranks, 1 step, 12 events\n\nRanks\n"
                        "rank  step time     slack  compute      comm  rank waits      idle  host-bound\n"
                        "   0   330.0 us  95.00 us      0 s  260.0 us    200.0 us  70.00 us         0 s\n"
                        "   1   240.0 us       0 s      0 s  130.0 us         0 s  110.0 us         0 s\n"
                        "   2   295.0 us  80.00 us      0 s  220.0 us    140.0 us  75.00 us         0 s\n"));
  CHECK(r.out.find("rank  for rank      time\n"
                   "   0         1  200.0 us\n"
                   "   2         1  140.0 us\n") != std::string::npos);
  const Json doc = Json::parse(replay(paths, {"--format", "json"}).out);
  CHECK(doc["collectives"].size() == 2);
  CHECK(doc["collectives"][0]["name"] == "pull 26148864");
  CHECK(doc["collectives"][0]["group"] == "26148864");
  CHECK(doc["collectives"][0]["last_rank"] == 1);
  CHECK(doc["ranks"][0]["waiting_for_ranks_seconds"].get<double>() == doctest::Approx(200e-6));
  CHECK(doc["ranks"][1]["slack_seconds"].get<double>() == 0);
  for (const Json& clock : doc["clocks"]) CHECK(clock["offset_seconds"].get<double>() == 0);
  CHECK(doc["critical_path"].back()["kind"] == "transfer");
}

TEST_CASE("what-ifs of PUSH and PULL") {
  TestFolder folder;
  const Words paths{folder.add("server_profile.json", profile())};
  CHECK(changed(paths, {"--scale-op", "push *@1=0.5"}) == "290 200 255 ");
  CHECK(changed(paths, {"--no-stragglers"}) == "130 240 155 ");
  CHECK(changed(paths, {"--scale-op", "push *=1"}) == "330 240 295 ");
  const Ran timeline = replay(paths, {"--timeline", (folder.path / "out.json").string()});
  CHECK_MESSAGE(timeline.status == 0, timeline.err);
}

TEST_CASE("workers' traces are ranks in their order, and clocks that cannot be are put in step") {
  TestFolder folder;
  const auto worker = [&](const char* name, int64_t ahead, int64_t push, int64_t pushed) {
    WorkerText text;
    for (int64_t round = 0; round < 3; ++round) {
      const int64_t at = ahead + 100'000 * round;
      text.round("byteps.gradient_0", 65536, at + push, at + pushed, at + pushed + 10, at + 5000);
    }
    return folder.add(name, text.text());
  };
  const Words paths{worker("0.json", 0, 100, 200), worker("1.json", 30'000, 4000, 4700)};
  const Ran r = replay(paths);
  CHECK_MESSAGE(r.status == 0, r.err);
  CHECK(r.err.find("'" + paths[1] + "' does not say its rank: it is taken as rank 1") != std::string::npos);
  CHECK(r.out.find("PULLs ended up to 29.70 ms before the last PUSH of\n  their round, now 0 s.") != std::string::npos);
  CHECK(r.out.find("   1       -30.00 ms              0 s\n") != std::string::npos);
  CHECK(r.out.find("   0         1  13.47 ms") != std::string::npos);  // 4700 - 210, three times
  const Ran shared = replay(paths, {"--hosts", "0-1"});
  CHECK(shared.err.find("3 PULLs end before the last PUSH of their round, by up to 29.700 ms") != std::string::npos);
}

TEST_CASE("rounds that do not match are refused, or left out") {
  TestFolder folder;
  WorkerText one, two;
  one.round("t", 7, 1, 2, 3, 4).round("t", 7, 5, 6, 7, 8).round("t", 8, 1, 2, 3, 4);
  two.round("t", 7, 1, 2, 3, 4).round("t", 8, 1, 2, 3, 4);
  const Words paths{folder.add("0.json", one.text()), folder.add("1.json", two.text())};
  const Ran r = replay(paths);
  CHECK(r.status == 1);
  CHECK(r.err.find("the ranks have different numbers of PUSHs and PULLs of key 7: 4, 2") != std::string::npos);
  CHECK(replay(paths, {"--skip-broken"}).status == 0);
}

TEST_CASE("a merged trace of dPRO alone has all ranks, their steps and who waits for whom") {
  TestFolder folder;
  const Words paths{folder.add("bps_trace_final.json", sample::merged_byteps(3))};
  const Ran r = replay(paths);
  CHECK_MESSAGE(r.status == 0, r.err);
  CHECK(r.err.empty());
  CHECK(r.out.starts_with("4 ranks, 3 steps, "));
  CHECK(r.out.find("rank  for rank      time\n"
                   "   0         2  693.0 us\n") != std::string::npos);
  CHECK(r.out.find("960.0 us      100.0 %") != std::string::npos);
  const Json json = Json::parse(replay(paths, {"--scale-op", "BW.*@2=0.5", "--format", "json"}).out);
  CHECK(json["change"]["changed_seconds"].get<double>() < 960e-6);
}

TEST_CASE("dPRO's merged trace has no sizes: tune says what does without") {
  TestFolder folder;
  const Ran r = ran({"tune", folder.add("bps_trace_final.json", sample::merged_horovod(3, true))}, "", 80);
  CHECK(r.status == 1);
  CHECK(r.err ==
        "error: there is nothing to tune: no collective of the traces says how large it is, as in files of BytePS and "
        "dPRO\nhint: 'trainplan replay FILES --advice' tries what needs no sizes\n");
}
