// `assert` of a scenario: conditions on the plan, or on the best one, and their messages.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/sample_files.h"
#include "tests/dsl/folder.h"

using Json = nlohmann::ordered_json;

namespace {

const std::string kHolds = std::string(kSmallJob) + "assert:\n  - mfu > 0.1\n  - memory.peak < cluster.gpu.memory\n";
const std::string kFails = std::string(kSmallJob) + "assert:\n  - mfu > 0.1\n  - mfu + 0 >= 0.99\n  - usd < 1 kUSD\n";

}  // namespace

TEST_CASE("assertions that hold: exit status 0, a line on the page, rows in the document") {
  const Ran page = ran({"plan", "-"}, kHolds);
  CHECK(page.status == 0);
  CHECK(holds(page.out, "assertions: 2 of 2 hold"));
  const Json p = Json::parse(ran({"plan", "-", "--format", "json"}, kHolds).out);
  REQUIRE(p["assertions"].size() == 2);
  CHECK(p["assertions"][0]["condition"] == "mfu > 0.1");
  CHECK(p["assertions"][0]["holds"] == true);
  CHECK(p["assertions"][0]["why"].is_null());
  CHECK(p["assertions"][1]["line"] == 7);
  CHECK_FALSE(Json::parse(ran({"plan", "-", "--format", "json"}, kSmallJob).out).contains("assertions"));
}

TEST_CASE("assertions that do not hold: exit status 5, each told with its place, and the plan is printed") {
  for (const char* format : {"table", "json", "csv", "md"}) {
    const Ran r = ran({"plan", "-", "--format", format, "--quiet"}, kFails);
    CHECK(r.status == 5);
    CHECK(r.out != "");
    CHECK(holds(r.err, "<stdin>:7:5: error: the assertion 'mfu + 0 >= 0.99' does not hold: its left side is 0."));
    CHECK_FALSE(holds(r.err, "'mfu > 0.1'"));
  }
  const Json p = Json::parse(ran({"plan", "-", "--format", "json"}, kFails).out);
  CHECK(p["feasible"] == true);
  CHECK(p["assertions"][1]["holds"] == false);
  CHECK(holds(p["assertions"][1]["why"], "its left side is 0."));
}

TEST_CASE("the resolved scenario asserts the same, and --output keeps a plan that fails") {
  const Ran r = ran({"plan", "-", "--format", "json"}, kFails);
  const Ran again = ran({"plan", "-"}, resolved_scenario(r.out));
  CHECK(again.status == 5);
  TestFolder folder;
  const std::string file = (folder.path / "plan.json").string();
  CHECK(ran({"plan", "-", "--format", "json", "--output", file}, kFails).status == 5);
  CHECK(std::filesystem::exists(file));
}

TEST_CASE("a plan that is not feasible has exit status 3, whatever it asserts") {
  CHECK(ran({"plan", "-", "--set", "parallelism.tp=3"}, kFails).status == 3);
  CHECK(ran({"plan", "-", "--set", "where=[mfu > 2]"}, kHolds).status == 3);
}

TEST_CASE("a condition without a value does not hold, and one that is no condition is an error") {
  const Ran r =
      ran({"plan", "-", "--set", "assert=[usd < 1 USD]", "--set", "cluster.price=null", "--set", "job.tokens=null"},
          kSmallJob);
  CHECK(r.status == 5);
  CHECK(holds(r.err, "--set:1:9: error: the assertion 'usd < 1 USD' does not hold"));
  CHECK(ran({"plan", "-", "--set", "assert=[mfu]"}, kSmallJob).status == 1);
  CHECK(ran({"check", "-"}, std::string(kSmallJob) + "assert: [mfuu > 1]\n").status == 1);
  CHECK(holds(ran({"check", "-"}, std::string(kSmallJob) + "assertions: [mfu > 1]\n").err, "did you mean 'assert'?"));
}

TEST_CASE("search asks its best plan, and refuses no candidate for it") {
  const std::vector<std::string> open{"--set", "parallelism.tp=[1, 2, 4]", "--quiet"};
  const auto search = [&](const std::string& condition, std::vector<std::string> more = {}) {
    std::vector<std::string> args{"search", "-", "--set", "assert=[" + condition + "]"};
    args.insert(args.end(), open.begin(), open.end());
    args.insert(args.end(), more.begin(), more.end());
    return ran(args, kSmallJob);
  };
  const Ran good = search("mfu > 0.1", {"--format", "json"});
  CHECK(good.status == 0);
  CHECK(Json::parse(good.out)["assertions"][0]["holds"] == true);
  const Ran bad = search("mfu > 0.99", {"--format", "json"});
  CHECK(bad.status == 5);
  CHECK(holds(bad.err, "'mfu > 0.99' does not hold"));
  CHECK(Json::parse(bad.out)["space"] == Json::parse(good.out)["space"]);
  CHECK(Json::parse(bad.out)["plans"].size() > 0);
  CHECK(search("tp == 64").status == 5);  // over fields alone
  CHECK(search("mfu > 0.99", {"--shard", "1/2", "--format", "json"}).status == 0);
}
