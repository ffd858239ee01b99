// `trainplan replay --advice`: each row is what its flag prints.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/sample_files.h"
#include "tests/dsl/folder.h"
#include "tests/planner/trace/kineto_text.h"

using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

namespace {

const Words kTraces{"scenarios/traces/rank0.json", "scenarios/traces/rank1.json"};

Json replayed(Words more) {
  Words args{"replay"};
  args.insert(args.end(), kTraces.begin(), kTraces.end());
  args.insert(args.end(), more.begin(), more.end());
  args.insert(args.end(), {"--format", "json"});
  const Ran r = ran(args, "");
  REQUIRE_MESSAGE(r.status == 0, r.err);
  return Json::parse(r.out);
}

/// "--scale-op 'a=0.5'" as two words.
Words words_of(const std::string& flag) {
  const size_t blank = flag.find(' ');
  if (blank == std::string::npos) return {flag};
  std::string value = flag.substr(blank + 1);
  if (value.front() == '\'') value = value.substr(1, value.size() - 2);
  return {flag.substr(0, blank), value};
}

}  // namespace

TEST_CASE("--advice ranks the standard changes, and each row is what its flag prints") {
  const Json doc = replayed({"--advice"});
  const Json& advice = doc["advice"];
  REQUIRE(advice.size() >= 5);
  size_t operators = 0;
  for (size_t i = 0; i < advice.size(); ++i) {
    const std::string flag = advice[i]["flag"];
    CAPTURE(flag);
    const Json change = replayed(words_of(flag))["change"];
    CHECK(change["changed_seconds"] == advice[i]["step_seconds"]);
    CHECK(change["change"] == advice[i]["change"]);
    CHECK(advice[i]["gain_seconds"].get<double>() ==
          doctest::Approx(change["measured_seconds"].get<double>() - change["changed_seconds"].get<double>()));
    if (i > 0) CHECK(advice[i]["gain_seconds"] <= advice[i - 1]["gain_seconds"]);
    operators += flag.starts_with("--scale-op");
  }
  CHECK(operators > 0);
  CHECK(operators <= 5);
  CHECK(advice[0]["gain_seconds"].get<double>() > 0);
}

TEST_CASE("--advice stands by itself, and is a table of the page") {
  Words args{"replay", kTraces[0], kTraces[1], "--advice"};
  const Ran page = ran(args, "");
  CHECK(page.status == 0);
  CHECK(holds(page.out, "\nAdvice\nwhat"));
  CHECK(holds(page.out, "no rank waits for another"));
  args.emplace_back("--no-stragglers");
  const Ran both = ran(args, "");
  CHECK(both.status == 1);
  CHECK(both.err == "error: --advice tries each change by itself\nhint: ask other changes without it\n");
}

TEST_CASE("a name that --scale-op reads otherwise is left out of the advice, and that is told") {
  struct Row {
    const char* name;
    bool told;
  };
  for (const Row& row : std::vector<Row>{{"gemm@0", true}, {"gemm@7", true}, {"a before b", true}, {"gemm@x", false}}) {
    CAPTURE(row.name);
    TestFolder folder;
    const std::string path = folder.add("a.json", sample::ranked(0, 1).kernel(row.name, 7, 10, 500).text());
    const Ran r = ran({"replay", path, "--advice", "--format", "json"}, "");
    REQUIRE_MESSAGE(r.status == 0, r.err);
    const std::string told =
        "warning: --advice leaves out half the time of " + std::string(row.name) + ": its flag cannot hold the name\n";
    CHECK_MESSAGE(holds(r.err, told) == row.told, r.err);
    const bool advised = std::ranges::any_of(Json::parse(r.out)["advice"], [&](const Json& each) {
      return holds(each["flag"].get<std::string>(), row.name);
    });
    CHECK(advised != row.told);
  }
}
