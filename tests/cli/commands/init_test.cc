// `trainplan init`: what it prints is a scenario that plans, for every kind of model and machine.
#include <doctest/doctest.h>

#include "tests/cli/harness.h"
#include "tests/cli/sample_files.h"
#include "tests/dsl/folder.h"

namespace {

constexpr const char* kHf = "hf:tests/planner/import/hf/llama-3.1-8b";

/// Prints the scenario, and plans and checks it.
void planned(const std::vector<std::string>& inputs) {
  std::vector<std::string> args{"init"};
  args.insert(args.end(), inputs.begin(), inputs.end());
  const Ran r = ran(args);
  for (const std::string& input : inputs) INFO(input);
  REQUIRE_MESSAGE(r.status == 0, r.err);
  CHECK(r.err == "");
  const Ran plan = ran({"plan", "-", "--quiet"}, r.out);
  CHECK_MESSAGE(plan.status == 0, r.out << plan.err << plan.out);
  TestFolder folder;
  const Ran check = ran({"check", folder.add("first.yaml", r.out), "--quiet"});
  if (!inputs.empty() && inputs[0].starts_with("hf:")) return;  // names a file beside the working directory
  CHECK_MESSAGE(check.status == 0, check.err);
}

}  // namespace

TEST_CASE("init: every kind of model on every kind of machine gives a scenario that plans") {
  planned({});
  for (const char* model : {"gpt3-175b", "bert-large", "mixtral-8x7b", "deepseek-v3", "gemma2-9b", "gpt-oss-20b",
                            "gpt2", "resnet-50", "dlrm-small", "gnmt", "llama3.2-1b"})
    planned({model});
  for (const char* cluster : {"dgx-1",        "dgx-a100-40gb",
                              "gb200-nvl72",  "tpu-v5p-pod",
                              "mi300x-oam",   "mi210-flat-ring",
                              "l40s-pcie-8x", "gaudi2-hls",
                              "frontier",     "p5",
                              "h100-pcie-8x", "azure-nc-h100-v5",
                              "gh200-1x",     "alps",
                              "hgx-h20",      "trn2-ultraserver",
                              "gaudi3-hls",   "tpu-v5e-pod",
                              "rtx-4090-8x",  "g7e"})
    planned({"llama3-8b", cluster});
}

TEST_CASE("init: the text says where to go on, and lists what is left to decide") {
  const Ran r = ran({"init", "llama3-8b", "dgx-h100"});
  for (const char* part : {"# llama3-8b on dgx-h100", "trainplan list model", "model: {use: llama3-8b}",
                           "  use: dgx-h100", "  gpus: ", "  tokens: 1.5e+11", "  #   tp: \"pow2(1, 8)\"",
                           "# goal: {minimize: usd, deadline: 60 d}", "trainplan search FILE"})
    CHECK_MESSAGE(holds(r.out, part), part);
  for (size_t at = 0, end; at < r.out.size(); at = end + 1) {
    end = r.out.find('\n', at);
    CHECK_MESSAGE(end - at <= 120, r.out.substr(at, end - at));
  }
}

TEST_CASE("init: what it proposes to search is searched") {
  const std::string text = ran({"init", "gpt3-1.3b", "dgx-a100-80gb"}).out;
  std::string open;  // with the lists of the comments in place of the values
  for (size_t at = 0, end; at < text.size(); at = end + 1) {
    end = text.find('\n', at);
    std::string line = text.substr(at, end - at);
    if (line.starts_with("  #   ")) line = "  " + line.substr(6);
    else if (line.starts_with("  tp:") || line.starts_with("  pp:") || line.starts_with("  microbatch:") ||
             line.starts_with("  recompute:") || line.starts_with("  zero:"))
      continue;
    else if (line.starts_with("# goal") || line.starts_with("# where")) line = line.substr(2);
    open += line + "\n";
  }
  const Ran r = ran({"search", "-", "--quiet"}, open);
  CHECK_MESSAGE((r.status == 0 || r.status == 3), r.err << open);
  CHECK(holds(r.out, "candidates"));
}

TEST_CASE("init: a configuration of Hugging Face, seen from where the scenario will lie") {
  planned({kHf, "dgx-a100-80gb"});
  TestFolder folder;
  const std::string file = (folder.path / "first.yaml").string();
  REQUIRE(ran({"init", kHf, "dgx-a100-80gb", "--output", file}).status == 0);
  CHECK(ran({"plan", file, "--quiet"}).status == 0);
  CHECK(ran({"check", file, "--quiet"}).status == 0);
}

TEST_CASE("import hf --cluster is the same whole scenario") {
  const Ran r = ran({"import", "hf", std::string(kHf).substr(3), "--cluster", "dgx-a100-80gb"});
  CHECK(r.status == 0);
  CHECK(r.out == ran({"init", kHf, "dgx-a100-80gb"}).out);
  CHECK(ran({"import", "hf", std::string(kHf).substr(3), "--cluster", "dgx-a10"}).status == 1);
}

TEST_CASE("init: names that there are not, and what they may have been meant for") {
  struct Row {
    std::vector<std::string> args;
    const char* part;
  };
  for (const Row& row : {Row{{"init", "llama3-8"}, "no model named 'llama3-8'\nhint: did you mean 'llama3-8b'"},
                         Row{{"init", "gpt2", "h100"}, "no cluster named 'h100'\nhint: did you mean 'dgx-h100'"},
                         Row{{"init", "hf:nowhere"}, "no file 'nowhere'"}}) {
    const Ran r = ran(row.args);
    CHECK(r.status == 1);
    CHECK(r.out == "");
    CHECK_MESSAGE(holds(r.err, row.part), r.err);
  }
  CHECK(ran({"init", "a", "b", "c"}).status == 2);
}

TEST_CASE("init --example prints an example, and names of files in it work from any folder") {
  const Ran r = ran({"init", "--example", "deepspeech2-librispeech"});
  REQUIRE(r.status == 0);
  CHECK(r.out.find("lengths: example:lengths/") != std::string::npos);
  CHECK(ran({"plan", "-", "--quiet"}, r.out).out == ran({"plan", "example:deepspeech2-librispeech", "--quiet"}).out);
  CHECK(ran({"init", "--example", "gpt3-175"}).err.find("did you mean 'gpt3-175b'") != std::string::npos);
  CHECK(ran({"init", "--example", "gpt3-175b", "llama3-8b"}).status == 1);
  CHECK(ran({"list", "example"}).out.find("example:gpt3-175b ") != std::string::npos);
}
