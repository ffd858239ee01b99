// What-ifs of `trainplan replay` that give kernels another order, and times of other runs.
#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/harness.h"
#include "tests/dsl/folder.h"
#include "tests/planner/trace/kineto_text.h"

using Json = nlohmann::ordered_json;
using sample::KinetoText;
using Words = std::vector<std::string>;

namespace {

/// Kernels of one stream, `gap` apart, and a copy in another; the host takes `host` between two launches.
std::string launches(int64_t host, int64_t gap) {
  KinetoText text;
  int64_t begin = 2, call = 0;
  for (int i = 0; i < 4; ++i) {
    const std::string correlation = R"("correlation": )" + std::to_string(i + 1);
    begin = std::max(begin, call + 2);
    text.event("cpu_op", "aten::add", 100, "1", std::to_string(call), "2");
    text.event("cuda_runtime", "cudaLaunchKernel", 100, "1", std::to_string(call), "1", correlation);
    text.event("kernel", i == 2 ? "mul" : "add", 0, "7", std::to_string(begin), "50", correlation + R"(, "stream": 7)");
    begin += 50 + gap;
    call += host;
  }
  return text.kernel("copy", 9, 1, 5).text();
}

struct Run : TestFolder {
  Run() : path_of_slow(add("slow.json", launches(70, 3))), path_of_fast(add("fast.json", launches(5, 2))) {}
  static Ran replay(const std::string& file, const Words& more) {
    Words args{"replay", file, "--format", "json"};
    args.insert(args.end(), more.begin(), more.end());
    return ran(args, "");
  }
  /// Microseconds of the changed replay.
  static double changed(const std::string& file, const Words& more) {
    const Ran r = replay(file, more);
    REQUIRE_MESSAGE(r.status == 0, r.err);
    return Json::parse(r.out)["ranks"][0]["changed_seconds"].get<double>() * 1e6;
  }
  std::string path_of_slow, path_of_fast;
};

}  // namespace

TEST_CASE("--fuse makes one of kernels that follow one another") {
  const Run run;
  const double before = run.changed(run.path_of_fast, {"--scale-op", "add=1"});
  CHECK(run.changed(run.path_of_fast, {"--fuse", "*"}) == doctest::Approx(before - 3 * 2));
  CHECK(run.changed(run.path_of_fast, {"--fuse", "add"}) == doctest::Approx(before - 2));  // the first two
  CHECK(run.changed(run.path_of_fast, {"--fuse", "add@0"}) == doctest::Approx(before - 2));
}

TEST_CASE("--move runs kernels in another stream") {
  const Run run;
  const double before = run.changed(run.path_of_fast, {"--scale-op", "add=1"});
  CHECK(run.changed(run.path_of_fast, {"--move", "mul=9"}) == doctest::Approx(before - 50 - 2));
}

TEST_CASE("--times gives hosts and launches what they took in another run") {
  const Run run;
  const std::string file = (run.path / "times.csv").string();
  const Ran wrote = run.replay(run.path_of_fast, {"--write-times", file});
  REQUIRE_MESSAGE(wrote.status == 0, wrote.err);
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  CHECK(text.str().starts_with("kind,begin,end,before,after,count,mean_ns\n"));
  CHECK(text.str().find("between,\"aten::add\",\"aten::add\",\"cudaLaunchKernel\",\"cudaLaunchKernel\"") !=
        std::string::npos);
  const double fast = run.changed(run.path_of_fast, {"--times", file});
  const double measured = run.changed(run.path_of_fast, {"--scale-op", "add=1"});
  CHECK(fast == doctest::Approx(measured).epsilon(0.05));  // means of its own
  CHECK(run.changed(run.path_of_slow, {"--scale-op", "add=1"}) > measured + 20);
  CHECK(run.changed(run.path_of_slow, {"--times", file}) == doctest::Approx(measured).epsilon(0.05));
  CHECK(run.changed(run.path_of_slow, {"--times", file, "--times", file}) == doctest::Approx(measured).epsilon(0.05));
}

TEST_CASE("changes of order and files of times that are none are refused") {
  const Run run;
  const std::string none = (run.path / "none.csv").string(), wrong = run.add("wrong.csv", "kind,count\ncall,1\n");
  const struct {
    Words flags;
    std::string message;
  } rows[] = {
      {{"--fuse", "gemm"}, "--fuse 'gemm': no kernel in the trace has this name"},
      {{"--fuse", "mul"}, "--fuse 'mul': no two kernels of this name follow one another in a stream"},
      {{"--fuse", "add before mul"}, "--fuse 'add before mul': expected NAME[@RANK]"},
      {{"--fuse", "add@3"}, "--fuse 'add@3': no trace is of rank '3'"},
      {{"--move", "mul"}, "--move 'mul': expected NAME[@RANK]=STREAM"},
      {{"--move", "mul=x"}, "--move 'mul=x': expected a stream's number behind '='"},
      {{"--move", "mul=8"}, "--move 'mul': no kernel of this name can go to stream 8"},
      {{"--move", "gemm=9"}, "--move 'gemm': no kernel in the trace has this name"},
      {{"--times", none}, "cannot read '" + none + "'"},
      {{"--times", wrong}, "no column 'begin'"},
  };
  for (const auto& row : rows) {
    const Ran r = run.replay(run.path_of_fast, row.flags);
    CHECK(r.status == 1);
    CHECK_MESSAGE(r.err.find(row.message) != std::string::npos, r.err);
  }
}
