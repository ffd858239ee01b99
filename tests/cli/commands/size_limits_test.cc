// Sizes of files that docs/output.md states: at each the file is read, one byte beyond it is refused.
#include <doctest/doctest.h>

#include <filesystem>

#include "tests/cli/harness.h"
#include "tests/dsl/folder.h"

namespace {

using Words = std::vector<std::string>;

const char* const kScenario =
    "model: {use: gpt3-1.3b}\njob: {sequence: 2048, global_batch: 8}\ncluster: {use: dgx-a100-80gb, gpus: 8}\n";
const char* const kTrace = R"([{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1, "dur": 2}])";

struct Row {
  const char* file;
  Words before, after;  // of the file's name on the command line
  uintmax_t mebibytes;
  const char* refused;
  const char* in = kScenario;  // standard input
};

const Row kRows[] = {
    {"a.yaml", {"plan"}, {}, 1, "the text is longer than 1048576 bytes"},
    {"a.csv", {"validate"}, {}, 1, "the table is larger than 1 MiB"},
    {"a.json", {"merge"}, {}, 256, "the text is longer than 268435456 bytes"},
    {"a.csv", {"calibrate", "gemm"}, {"--gpu", "h100-sxm-80gb"}, 256, "larger than 256 MiB"},
    {"a.log", {"seqpoint"}, {}, 64, "larger than 64 MiB"},
    {"a.csv", {"replay", "-", "--times"}, {}, 16, "larger than 16 MiB", kTrace},
    {"a.extra-p", {"scale"}, {}, 256, "larger than 256 MiB"},
};

}  // namespace

TEST_CASE("a file is as large as its limit, and not one byte larger") {
  const TestFolder folder;
  for (const Row& row : kRows) {
    CAPTURE(row.before.front());
    CAPTURE(row.file);
    const std::string path = folder.add(row.file, "");
    Words words = row.before;
    words.push_back(path);
    words.insert(words.end(), row.after.begin(), row.after.end());
    const auto said = [&](uintmax_t bytes) {
      std::filesystem::resize_file(path, bytes);  // with a hole: zeros
      const Ran r = ran(words, row.in);
      CHECK(r.status == 1);
      return r.err;
    };
    CHECK(said(row.mebibytes << 20).find(row.refused) == std::string::npos);
    CHECK(said((row.mebibytes << 20) + 1).find(row.refused) != std::string::npos);
  }
}
