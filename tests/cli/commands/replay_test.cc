// `trainplan replay`: page, formats, what-ifs, mistakes and exit status.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/sample_files.h"
#include "tests/dsl/folder.h"
#include "tests/planner/trace/kineto_text.h"
#include "tests/planner/unpack/deflated.h"

using Json = nlohmann::ordered_json;
using sample::KinetoText;
using Words = std::vector<std::string>;

namespace {

KinetoText ranked(int rank, int size = 2) {
  return KinetoText(R"("deviceProperties": [{"id": 0, "name": "A100"}], "distributedInfo": {"rank": )" +
                    std::to_string(rank) + R"(, "world_size": )" + std::to_string(size) + "}, ");
}
KinetoText& host(KinetoText& text, const char* category, const char* name, int start, int duration) {
  return text.event(category, name, 100, "1", std::to_string(start), std::to_string(duration));
}

/// A step of two ranks: rank 0 waits in a collective until rank 1 is done with something slow. Both end at 120 us.
std::string early() {
  KinetoText text = ranked(0);
  host(text, "user_annotation", "ProfilerStep#1", 0, 120);
  host(text, "cpu_op", "aten::prepare", 0, 8);
  text.kernel("gemm", 7, 10, 5).kernel("ncclAll(x)", 9, 12, 93);
  return host(text, "cuda_runtime", "cudaDeviceSynchronize", 30, 76).text();
}
std::string late() {
  KinetoText text = ranked(1);
  host(text, "user_annotation", "ProfilerStep#1", 0, 120);
  text.kernel("gemm", 7, 10, 5);
  host(text, "cpu_op", "aten::slow", 12, 86);
  text.kernel("ncclAll(x)", 9, 100, 5);
  return host(text, "cuda_runtime", "cudaDeviceSynchronize", 102, 4).text();
}

/// Files of a run, and the command over them.
struct Files : TestFolder {
  explicit Files(const Words& texts) {
    for (size_t i = 0; i < texts.size(); ++i) paths.push_back(add("rank" + std::to_string(i) + ".json", texts[i]));
  }
  Ran replay(const Words& more = {}, int width = 80) const {
    Words args{"replay"};
    args.insert(args.end(), paths.begin(), paths.end());
    args.insert(args.end(), more.begin(), more.end());
    return ran(args, "", width);
  }
  Json json(Words more = {}) const {
    more.insert(more.end(), {"--format", "json"});
    const Ran r = replay(more);
    REQUIRE_MESSAGE(r.status == 0, r.err);
    return Json::parse(r.out);
  }
  /// What became of the only step of each rank, in microseconds: "77 77".
  std::string changed(const Words& more) const {
    const Json doc = json(more);
    std::string out;
    for (const Json& rank : doc["ranks"])
      out += fmt::format("{}{:.4g}", out.empty() ? "" : " ", rank["changed_seconds"].get<double>() * 1e6);
    return out;
  }
  Words paths;
};

}  // namespace

TEST_CASE("replay's page says who waited for whom, and what the end waited for") {
  const Files files({early(), late()});
  const Ran r = files.replay();
  CHECK_MESSAGE(r.status == 0, r.err);
  CHECK(r.err.empty());
  CHECK(r.out.starts_with("2 ranks of A100, 1 step, 14 events\n\nRanks\n"));
  for (const char* part :
       {"\nrank  step time     slack   compute      comm  rank waits      idle  host-bound\n"
        "   0   120.0 us  66.00 us  5.000 us  93.00 us    88.00 us  25.00 us    25.00 us\n"
        "   1   120.0 us       0 s  5.000 us  5.000 us         0 s  110.0 us    110.0 us\n",
        "\nCritical path\nrank  kind      name                time  of the path\n"
        "   1  host      aten::slow      89.00 us       74.2 %\n",
        "   0  transfer  ncclAll         5.000 us        4.2 %\n",
        "\nWaits\nrank  for rank      time\n   0         1  88",
        "\nidle, host-bound           67.50 us       56.2 %   110.0 us        1\n",
        "\nCollectives by name\nname     ranks  count  bytes  transfer  longest wait  bus bandwidth\n"
        "ncclAll      2      1      -  5.000 us      88.00 us              -\n"})
    CHECK_MESSAGE(holds(r.out, part), r.out);
  const Ran wide = files.replay({}, 250);
  for (const char* part :
       {"rank  step            step time  began     slack    device      busy   compute      comm  copies  "
        "overlaps  hidden   exposed  rank waits      idle  host-bound  gaps  unexplained  step of\n",
        "   0  ProfilerStep#1   120.0 us    0 s  66.00 us  95.00 us  95.00 us  5.000 us  93.00 us     0 s  "
        "3.000 us   3.2 %  90.00 us    88.00 us  25.00 us    25.00 us   0 s          0 s  host\n"})
    CHECK_MESSAGE(holds(wide.out, part), wide.out);
  CHECK(!holds(wide.out, "not shown"));
  CHECK(holds(files.replay({"--all"}).out,
              "\nCollectives\n#  name     group  ranks  bytes  transfer  longest wait  last rank\n"
              "1  ncclAll  -          2      -  5.000 us      88.00 us          1\n"));
}

TEST_CASE("slack of a trace without steps: of whatever its rank does") {
  const Files files({ranked(0).kernel("ncclAll", 9, 10, 30).text(), ranked(1).kernel("ncclAll", 9, 30, 10).text()});
  const Json ranks = files.json()["ranks"];
  CHECK(ranks[0]["slack_seconds"].get<double>() == doctest::Approx(20e-6));
  CHECK(ranks[1]["slack_seconds"].get<double>() == doctest::Approx(0));
  CHECK(ranks[1]["begin_seconds"].get<double>() == doctest::Approx(20e-6));
}

TEST_CASE("replay in JSON, and the steps of ranks as rows") {
  const Files files({early(), late()});
  const Json doc = files.json();
  Words keys;
  for (const auto& [key, value] : doc.items()) keys.push_back(key);
  CHECK(keys == Words{"format", "ranks", "change", "advice", "accounting", "launched", "clocks", "unseen",
                      "collectives", "collectives_by_name", "absent_ranks", "waits", "streams", "critical_path",
                      "scaled", "execution_traces", "against", "against_sums"});
  CHECK(doc["change"].is_null());
  CHECK(doc["format"] == "trainplan.replay/1");
  REQUIRE(doc["ranks"].size() == 2);
  CHECK(doc["ranks"][0]["changed_seconds"].is_null());
  CHECK(doc["ranks"][0]["overlap_ratio"].get<double>() == doctest::Approx(3.0 / 93));
  REQUIRE(doc["collectives"].size() == 1);
  CHECK(doc["collectives"][0]["last_rank"] == 1);
  CHECK(doc["collectives"][0]["group"].is_null());
  CHECK(doc["waits"].size() == 1);
  CHECK(doc["streams"].size() == 4);
  // The path begins at nothing, and each piece where the one before it ends.
  double at = 0;
  for (const Json& piece : doc["critical_path"]) {
    CHECK(piece["begin_seconds"].get<double>() == doctest::Approx(at));
    at += piece["seconds"].get<double>();
  }
  CHECK(at == doctest::Approx(120e-6));
  const Ran csv = files.replay({"--format", "csv", "--columns", "rank,step,measured_seconds,idle_seconds"});
  CHECK(
      csv.out ==
      "rank,step,measured_seconds,idle_seconds\n0,ProfilerStep#1,0.00012,2.5e-05\n1,ProfilerStep#1,0.00012,0.00011\n");
  const Ran lines = files.replay({"--format", "ndjson", "--sort", "idle_seconds", "--top", "1"});
  const Json line = Json::parse(lines.out);  // one line only
  CHECK(line["format"] == "trainplan.replay/1");
  CHECK(line["rank"] == 1);
}

TEST_CASE("replay reads standard input, packed files, and files in any order") {
  const Files files({early(), late()});
  const std::string whole = files.replay().out;
  CHECK(ran({"replay", "-", files.paths[1]}, early()).out == whole);
  CHECK(ran({"replay", "-", files.paths[0]}, gzipped(late())).out == whole);
  CHECK(ran({"replay", files.paths[1], files.paths[0]}).out == whole);
  CHECK(ran({"replay", files.paths[1], files.add("rank0.json.gz", gzipped(early()))}).out == whole);
}

TEST_CASE("replay with changes says what would have been") {
  const Files files({early(), late()});
  const struct {
    Words flags;
    const char* changed;
  } rows[] = {
      {{"--scale-op", "aten::slow=0.5"}, "77 77"},
      {{"--scale-op", "aten::slow@1=0.5"}, "77 77"},
      {{"--scale-op", "aten::*=0.5"}, "77 77"},
      {{"--scale-op", "aten::prepare@0=0"}, "120 120"},  // it has time to spare
      {{"--scale-op", "nccl*@0=2"}, "125 125"},          // a transfer is of all its ranks
      {{"--scale-op", "aten::slow=0.5", "--scale-op", "ncclAll(x)=2"}, "82 82"},
      {{"--scale-op", "gemm=1e1"}, "120 120"},
      {{"--scale-op", "aten::slow before nccl*=0.5"}, "77 77"},
      {{"--remove", "aten::slow"}, "54 34"},  // with rank 1's part of the collective
      {{"--remove", "nccl*@1"}, "54 120"},
      {{"--host-speed", "2"}, "63.5 63.5"},
      {{"--no-stragglers"}, "54 120"},
      {{"--perfect-overlap"}, "120 120"},  // no kernel waits for the collective
  };
  for (const auto& row : rows) {
    CAPTURE(fmt::format("{}", fmt::join(row.flags, " ")));
    CHECK(files.changed(row.flags) == row.changed);
  }
  CHECK(holds(files.replay({"--no-stragglers"}).out,
              "rank  step time   changed     slack   compute      comm  rank waits      idle\n"
              "   0   120.0 us  54.00 us  66.00 us  5.000 us  93.00 us    88.00 us  25.00 us\n"));
  CHECK(files.replay({"--no-stragglers"}).out.starts_with("step 120.0 us -> 87.00 us (-27.5 %)\n"));
  const Json change = files.json({"--no-stragglers"})["change"];
  CHECK(change["changed_seconds"].get<double>() == doctest::Approx(87e-6));
  CHECK(change["change"].get<double>() == doctest::Approx(-0.275));
  KinetoText text = ranked(0, 1).kernel("nccl", 9, 10, 100);
  host(text, "cuda_runtime", "cudaStreamWaitEvent", 12, 1).kernel("adam", 7, 111, 10);
  const Files waits({text.text()});  // since 9 us
  CHECK(waits.changed({"--scale-op", "nccl=3"}) == "311");
  CHECK(waits.changed({"--scale-op", "nccl=3", "--perfect-overlap"}) == "301");
}

TEST_CASE("replay refuses changes that it does not understand, or that change nothing") {
  const Files files({early(), late()});
  const struct {
    const char *scaling, *message;
  } rows[] = {
      {"gemm", "expected NAME=FACTOR"},
      {"=2", "expected NAME=FACTOR"},
      {"gemm=", "expected a factor of 0 to 1e6 behind '='"},
      {"gemm=-1", "expected a factor of 0 to 1e6 behind '='"},
      {"gemm=nan", "expected a factor of 0 to 1e6 behind '='"},
      {"gemm=2x", "expected a factor of 0 to 1e6 behind '='"},
      {"gemm=1000001", "expected a factor of 0 to 1e6 behind '='"},
      {"gemm@2=1", "no trace is of rank '2'"},
      {"@1=1", "expected the name of an operator, a kernel or a collective"},
      {"gemm before =1", "expected the name of an event behind 'before'"},
      {" before gemm=1", "expected the name of an operator, a kernel or a collective"},
  };
  const auto refuses = [&](const Words& flags, const std::string& message) {
    const Ran r = files.replay(flags);
    CHECK(r.status == 1);
    CHECK_MESSAGE(r.err.starts_with("error: " + message), r.err);
    CHECK(r.out.empty());
  };
  for (const auto& row : rows)
    refuses({"--scale-op", "gemm=0.5", "--scale-op", row.scaling},
            std::string("--scale-op '") + row.scaling + "': " + row.message);
  refuses({"--remove", "gemm@2"}, "--remove 'gemm@2': no trace is of rank '2'");
  refuses({"--remove", ""}, "--remove '': expected the name of an operator");
  refuses({"--scale-op", "gemm@=1"}, "--scale-op 'gemm@': nothing in the trace has this name");
  refuses({"--scale-op", "gem=2"}, "--scale-op 'gem': nothing in the trace has this name");
  refuses({"--scale-op", "aten::slow@0=2"}, "--scale-op 'aten::slow': nothing in the trace has this name");
  refuses({"--remove", "gem"}, "--remove 'gem': nothing in the trace has this name");
  refuses({"--scale-op", "gemm before x=2"},
          "--scale-op 'gemm': nothing in the trace of this name begins before one of 'x'");
  for (const Words& flags : {Words{"--host-speed", "0"},
                             {"--host-speed", "nan"},
                             {"--host-speed", "-2"},
                             {"--scale"},
                             {"--format", "dot"},
                             {"--columns", "speed"}})
    CHECK_MESSAGE(files.replay(flags).status == 2, flags[0]);
  CHECK(ran({"replay"}).status == 2);
}

TEST_CASE("replay: files that cannot be read, and exit status 1") {
  const Files files({early(), late()});
  const std::string packed = gzipped(early());
  const struct {
    std::string path, message;
  } rows[] = {
      {files.name() + "/none.json", "No such file or directory"},
      {files.name(), "Is a directory"},
      {files.add("empty.json", ""), "event 1 (byte 0): the text ends here, in the middle of a value"},
      {files.add("text.json", "hello"), "event 1 (byte 0): expected '[', got 'h'"},
      {files.add("map.json", "{}"), "it has no list 'traceEvents', 'nodes' or 'workload_graph'"},
      {files.add("cut.json.gz", packed.substr(0, packed.size() - 5)), "it is cut off"},
  };
  for (const auto& row : rows) {
    const Ran r = ran({"replay", files.paths[0], row.path, "--format", "json"});
    CHECK(r.status == 1);
    CHECK_MESSAGE(r.err.starts_with("error: cannot read '" + row.path + "': "), r.err);
    CHECK_MESSAGE(holds(r.err, row.message), r.err);
    CHECK(Json::parse(r.out)["format"] == "trainplan.diagnostics/1");
  }
  CHECK(ran({"replay", "-"}).status == 1);
  CHECK(holds(ran({"replay", "-"}).err, "cannot read '<stdin>'"));
  const Ran twice = ran({"replay", files.paths[0], files.paths[0]});
  CHECK(twice.status == 1);
  CHECK(twice.err == "error: '" + files.paths[0] + "' and '" + files.paths[0] + "' are both of rank 0\n");
}

TEST_CASE("replay leaves out what is broken where it is told to") {
  const std::string broken = R"({"ph": "X", "cat": "kernel", "name": "k", "ts": 1, "dur": -0.5})";
  std::string text = early();
  text.insert(text.size() - 2, "," + broken);
  const Files files({text, late()});
  const Ran refused = files.replay(), skipped = files.replay({"--skip-broken"});
  CHECK(refused.status == 1);
  const std::string told = "cannot read '" + files.paths[0] + "': event 8 (byte " + std::to_string(text.find(broken)) +
                           "): the event's duration is negative: -0.5 us\n";
  CHECK(refused.err == "error: " + told + "hint: --skip-broken leaves out what is broken, and says what that was\n");
  CHECK(skipped.status == 0);
  CHECK(skipped.err == "warning: " + told);
  CHECK(skipped.out == Files({early(), late()}).replay().out);
  CHECK(files.replay({"--skip-broken", "--quiet"}).err.empty());
}

TEST_CASE("replay: collectives of which ranks are missing, or that do not match") {
  const std::string args = R"("Collective name": "allreduce", "Process Group Name": "dp", "Group size": 2)";
  const Files one({ranked(0).kernel("nccl", 9, 10, 5, args).text()});
  const Ran r = one.replay();
  CHECK(r.status == 0);
  CHECK(r.out.starts_with("1 of 2 ranks of A100, 1 step, 2 events\n"));
  CHECK(r.err.empty());
  CHECK(holds(
      r.out,
      "Group 'dp' has 2 ranks, of which 1 is here: what a collective took holds the\n  wait for absent ranks.\n"));
  CHECK(one.json()["absent_ranks"] == "group 'dp' has 2 ranks, of which 1 is here");
  CHECK(one.json()["collectives"][0]["last_rank"].is_null());

  const Files counts(
      {ranked(0).kernel("nccl", 9, 10, 5).kernel("nccl", 9, 20, 5).text(), ranked(1).kernel("nccl", 9, 10, 5).text()});
  const std::string told = "the ranks have different numbers of kernels of stream of communication 1: 2, 1\n";
  CHECK(counts.replay().status == 1);
  CHECK(counts.replay().err == "error: " + told + "hint: --skip-broken leaves out what does not match\n");
  CHECK(counts.replay({"--skip-broken"}).status == 0);
  CHECK(counts.replay({"--skip-broken"}).err == "warning: " + told);
  CHECK(counts.json({"--skip-broken"})["collectives"].empty());

  // Each rank begins with the group that the other one ends with.
  const auto of = [](const char* group) {
    return R"("Collective name": "x", "Process Group Name": ")" + std::string(group) + '"';
  };
  const Files circle({ranked(0).kernel("nccl", 9, 10, 5, of("a")).kernel("nccl", 9, 20, 5, of("b")).text(),
                      ranked(1).kernel("nccl", 9, 10, 5, of("b")).kernel("nccl", 9, 20, 5, of("a")).text()});
  CHECK(circle.replay().status == 1);
  CHECK(circle.replay().err.starts_with("error: the collectives of the ranks wait for each other in a circle\n"));
}

TEST_CASE("replay: a name of bytes that are no UTF-8 is printed as valid JSON") {
  const Files files({ranked(0, 1).kernel("k\xFF\xC3", 7, 10, 5).text()});
  const Json doc = files.json();  // does not parse otherwise
  CHECK(doc["critical_path"].back()["name"] == "k\xEF\xBF\xBD\xEF\xBF\xBD");
  CHECK(holds(files.replay().out, "k\xEF\xBF\xBD"));
  CHECK(files.changed({"--scale-op", "k*=2"}) == "11");
}

TEST_CASE("replay tells what is wrong with each file, one that is no file too") {
  const Files files({"hello"});
  const Ran r = ran({"replay", files.paths.front(), std::filesystem::temp_directory_path().string()}, "");
  CHECK(r.status == 1);
  CHECK(r.err.find("expected '[', got 'h'") != std::string::npos);
  CHECK(r.err.find("Is a directory") != std::string::npos);
}
