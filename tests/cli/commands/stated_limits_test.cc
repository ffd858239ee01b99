// Limits of commands that docs/output.md states: at each, and one beyond.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/cli/harness.h"

namespace {

const std::string kScenario =
    "model: {use: gpt3-1.3b}\njob: {sequence: 2048, global_batch: 8}\ncluster: {use: dgx-a100-80gb, gpus: 8}\n";

std::string numbers(int most) {
  std::string text = "1";
  for (int i = 2; i <= most; ++i) text += ", " + std::to_string(i);
  return text;
}

/// A space with a given number of combinations.
std::string space(int batches, int tokens, const std::string& where = "false") {
  return "model: {use: gpt3-1.3b}\njob: {sequence: 2048, global_batch: [" + numbers(batches) + "], tokens: [" +
         numbers(tokens) + "]}\ncluster: {use: dgx-a100-80gb, gpus: 8}\nwhere: [" + where + "]\n";
}

}  // namespace

TEST_CASE("a sweep prints up to 100000 rows at once") {
  const std::vector<std::string> sorted{"sweep", "-", "--format", "csv", "--columns", "index", "--sort", "index"};
  const Ran most = ran(sorted, space(10'000, 10));
  CHECK(most.status == 3);
  CHECK(std::count(most.out.begin(), most.out.end(), '\n') == 100'001);
  const Ran more = ran(sorted, space(9091, 11));
  CHECK(more.status == 1);
  CHECK(more.err ==
        "error: the sweep has more than 100000 rows to print at once\nhint: --format ndjson or csv without --sort "
        "prints each as it is made; --top N without --sort keeps the first N\n");
}

TEST_CASE("a sweep prints any number of rows that leave as they are made, or the first of them") {
  for (const char* format : {"csv", "tsv", "ndjson"}) {
    CAPTURE(std::string(format));
    const bool headed = std::string_view(format) != "ndjson";
    const Ran all = ran({"sweep", "-", "--format", format, "--columns", "index"}, space(9091, 11));
    CHECK(all.status == 3);
    CHECK(std::count(all.out.begin(), all.out.end(), '\n') == 100'001 + headed);
    const Ran first =
        ran({"sweep", "-", "--format", format, "--columns", "index", "--top", "2"}, space(9091, 11, "true"));
    CHECK(first.status == 0);
    if (headed) CHECK(first.out == "index\n0\n1\n");
  }
}

TEST_CASE("a timeline has up to a million events") {
  const auto planned = [](const char* set) {
    return ran({"plan", "-", "--timeline", "/dev/null", "--set", set}, kScenario);
  };
  CHECK(planned("{}").status != 0);
  CHECK(planned("job.global_batch=4000000").status == 0);
  const Ran more = planned("job.global_batch=4000008");
  CHECK(more.status == 1);
  CHECK(more.err ==
        "error: the timeline has 1000002 events, and the limit is 1000000\nhint: fewer microbatches show the same "
        "pattern: --set job.global_batch=...\n");
}
