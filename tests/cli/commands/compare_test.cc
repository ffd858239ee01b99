// `trainplan compare` through the command line.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/sample_files.h"

using Json = nlohmann::ordered_json;

namespace {

/// A scenario in a file of its own, gone with the value.
class File {
 public:
  explicit File(const std::string& text) {
    static int number = 0;
    const auto directory = std::filesystem::temp_directory_path();
    path_ = directory / ("trainplan-compare-" + std::to_string(number++) + ".yaml");
    std::ofstream(path_) << text;
  }
  ~File() { std::filesystem::remove(path_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

/// kSmallJob, one of its words another.
std::string other(const std::string& was, const std::string& is) {
  std::string text = kSmallJob;
  text.replace(text.find(was), was.size(), is);
  return text;
}

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> out;
  for (const auto& [key, value] : object.items()) out.push_back(key);
  return out;
}

Json compared(const std::string& a, const std::string& b) {
  const File file(a);
  const Ran r = ran({"compare", file.path(), "-", "--format", "json", "--quiet"}, b);
  CHECK(!has_nan(r.out));
  return Json::parse(r.out);
}

}  // namespace

TEST_CASE("compare prints JSON with the keys of the contract") {
  const std::string priced = other("gpus: 8", "gpus: 8, price: 2 USD/h");
  const std::string dearer = other("gpus: 8", "gpus: 8, price: 4 USD/h");
  const Json j = compared(priced, dearer);
  CHECK(keys(j) == std::vector<std::string>{"format", "a", "b", "differences"});
  CHECK(j["format"] == "trainplan.compare/1");
  REQUIRE(j["differences"].size() == 1);
  CHECK(keys(j["differences"][0]) == std::vector<std::string>{"cause", "seconds", "usd"});
  CHECK(j["differences"][0]["cause"] == "cluster.price");
  CHECK(j["differences"][0]["seconds"] == 0.0);
  CHECK(j["differences"][0]["usd"] == j["b"]["cost"]["usd"].get<double>() - j["a"]["cost"]["usd"].get<double>());
}

TEST_CASE("both plans are those of `plan`") {
  const std::string b = other("tp: 2", "tp: 4");
  const Json j = compared(kSmallJob, b);
  CHECK(j["a"].dump(2) == all_but_unwritten(ran({"plan", "-", "--format", "json"}, kSmallJob).out));
  CHECK(j["b"].dump(2) == all_but_unwritten(ran({"plan", "-", "--format", "json"}, b).out));
}

TEST_CASE("differences sum to the total, and a plan's own scenario is no difference") {
  const std::string b = other("tp: 2, microbatch: 2", "tp: 4, pp: 2, microbatch: 1, recompute: full, zero: 1");
  const Json j = compared(kSmallJob, b);
  double sum = 0, dollars = 0;
  for (const Json& d : j["differences"]) sum += d["seconds"].get<double>(), dollars += d["usd"].get<double>();
  CHECK(dollars == j["b"]["cost"]["usd"].get<double>() - j["a"]["cost"]["usd"].get<double>());
  CHECK(sum == j["b"]["step"]["seconds"].get<double>() - j["a"]["step"]["seconds"].get<double>());
  CHECK(j["differences"].size() >= 2);
  CHECK(compared(b, j["b"]["scenario"].dump())["differences"].empty());
}

TEST_CASE("the page tells what each difference is worth and where the step goes") {
  const File a(kSmallJob);
  const Ran r = ran({"compare", a.path(), "-"}, other("microbatch: 2", "microbatch: 4, recompute: full"), 120);
  REQUIRE(r.status == 0);
  CHECK(holds(r.out, "A: megatron-1.7b on 8 x a100-sxm-80gb: "));
  CHECK(holds(r.out, "B: megatron-1.7b on 8 x a100-sxm-80gb: "));
  CHECK(holds(r.out, "B less A: "));
  CHECK(holds(r.out, "parallelism.recompute   none  full"));
  CHECK(holds(r.out, "together"));
  CHECK(holds(r.out, "Where the step goes"));
  const Ran same = ran({"compare", a.path(), "-"}, kSmallJob);
  CHECK(same.status == 0);
  CHECK(holds(same.out, "nothing differs that a plan depends on"));
  CHECK(!holds(same.out, "together"));
}

TEST_CASE("a difference without worth stands in a line of its own") {
  const File a(kSmallJob);
  const std::string roomier = other("gpus: 8", "gpus: 8, gpu: {memory: 90 GB}");
  const Ran r = ran({"compare", a.path(), "-"}, roomier, 120);
  CHECK(holds(r.out, "worth nothing: cluster.gpu.memory"));
  CHECK(ran({"compare", a.path(), "-", "--format", "csv"}, roomier).out ==
        "cause,seconds,usd\ncluster.gpu.memory,0,0\n");
}

TEST_CASE("what is not feasible is said, with exit status 3") {
  const File a(kSmallJob);
  const Ran broken = ran({"compare", a.path(), "-"}, other("tp: 2", "tp: 3"));
  CHECK(broken.status == 3);
  CHECK(holds(broken.out, "ranks: "));
  CHECK(holds(broken.out, "does not work or does not fit is not compared"));
  const Json j = compared(other("tp: 2", "tp: 3"), kSmallJob);
  CHECK(j["differences"].empty());
  CHECK(j["a"]["step"].is_null());
  CHECK(j["b"]["feasible"] == true);
  // A plan that is too large has a step, but nobody can run it.
  const std::string small = other("gpus: 8", "gpus: 8, gpu: {memory: 8 GB}");
  CHECK(ran({"compare", a.path(), "-"}, small).status == 3);
  CHECK(compared(kSmallJob, small)["differences"].empty());
}

TEST_CASE("a plan that misses its goal is compared, one that does not fit is not") {
  const File late(kSmallJob);
  const Ran both = ran({"compare", late.path(), late.path(), "--pick", "best", "--set", "goal.deadline=1 s"});
  CHECK(both.status == 3);
  CHECK(both.out.find("over the deadline") != std::string::npos);
  CHECK(both.out.find("nothing differs") != std::string::npos);
  const Ran large = ran({"compare", late.path(), late.path(), "--pick", "first", "--set", "cluster.gpu.memory=1 GiB"});
  CHECK(large.status == 3);
  CHECK(large.out.find("does not fit is not compared") != std::string::npos);
}

TEST_CASE("open choices are picked on both sides") {
  const File a(other("tp: 2", "tp: [2, 4]"));
  const Ran open = ran({"compare", a.path(), "-"}, kSmallJob);
  CHECK(open.status == 1);
  const Ran first = ran({"compare", a.path(), "-", "--pick", "first", "--format", "json"}, kSmallJob);
  REQUIRE(first.status == 0);
  CHECK(Json::parse(first.out)["differences"].empty());
  const Ran best = ran({"compare", "-", a.path(), "--pick", "best", "--format", "json"}, kSmallJob);
  REQUIRE(best.status == 0);
  const Json j = Json::parse(best.out);
  CHECK(j["b"]["step"]["seconds"] <= j["a"]["step"]["seconds"]);
}

TEST_CASE("wrong use and bad input of compare") {
  const File good(kSmallJob), bad("model: {use: nope}\n");
  const struct {
    std::vector<std::string> args;
    int status;
    const char* says;
  } cases[] = {
      {{"compare"}, 2, "required"},
      {{"compare", good.path()}, 2, "B is required"},
      {{"compare", good.path(), "-", "c"}, 2, "unexpected argument 'c'"},
      {{"compare", "-", "-"}, 2, "only one of A and B can be standard input"},
      {{"compare", good.path(), "/nonexistent/b.yaml"}, 1, "cannot read '/nonexistent/b.yaml'"},
      {{"compare", bad.path(), good.path()}, 1, "nope"},
      {{"compare", good.path(), good.path(), "--set", "job.sequnce=1"}, 1, "sequence"},
  };
  for (const auto& c : cases) {
    const Ran r = ran(c.args, kSmallJob);
    CAPTURE(r.err);
    CHECK(r.status == c.status);
    CHECK(holds(r.err, c.says));
    CHECK(r.out == "");
  }
  const Ran both = ran({"compare", "/nonexistent/a.yaml", bad.path(), "--format", "json"});
  CHECK(both.status == 1);
  CHECK(Json::parse(both.out)["diagnostics"].size() >= 2);
}
