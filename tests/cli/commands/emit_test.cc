// `trainplan emit`: a search in shards as a job of a scheduler. ./dev clusters runs the texts.
#include "cli/files/emit.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/sample_files.h"
#include "tests/dsl/folder.h"

namespace {

const char* const kOpen = R"(
model: {use: gpt3-1.3b}
job: {sequence: 2048, global_batch: 64}
cluster: {use: dgx-a100-80gb, gpus: 8}
parallelism: {tp: [1, 2], pp: [1, 2]}
)";

}  // namespace

TEST_CASE("every target's text walks all shards, with the flags of the search") {
  const TestFolder folder;
  const std::string file = folder.add("job.yaml", kOpen);
  for (const cli::EmitTarget& target : cli::emit_targets()) {
    const Ran r = ran({"emit", target.name, file, "--shards", "12", "--threads", "3", "--top", "4", "--set",
                       "goal={minimize: step}", "--pareto", "step,mfu"});
    INFO(std::string(target.name), r.err, r.out);
    CHECK(r.status == 0);
    CHECK(r.err == "");
    CHECK(holds(r.out, "12"));
    CHECK(holds(r.out, "--resume auto"));
    CHECK(holds(r.out, "--format json"));
    CHECK(holds(r.out, "--threads 3 "));
    CHECK(holds(r.out, "--top 4 --pareto step,mfu"));
    CHECK(holds(r.out, "goal={minimize: step}"));
    CHECK(holds(r.out, "job.yaml"));
    CHECK_FALSE(holds(r.out, "@S"));  // nothing is left to fill in
    CHECK_FALSE(holds(r.out, "_FLAGS@"));
    const auto j = nlohmann::json::parse(ran({"emit", target.name, file, "--format", "json"}).out);
    CHECK(j["format"] == "trainplan.emit/1");
    CHECK(j["target"] == target.name);
  }
}

TEST_CASE("words of Kubernetes stay what they are") {
  const cli::Sharded job{
      .scenario = "my job.yaml", .shards = 2, .threads = 1, .flags = {"--set", "a='$(b)' \\\" @SHARDS@"}};
  for (const cli::EmitTarget& target : cli::emit_targets()) {
    const std::string text = target.text(job);
    INFO(text);
    CHECK(holds(text, "my job.yaml"));
    CHECK(holds(text, "@SHARDS@"));  // what is filled in is not filled again
    CHECK(holds(text, "$$(b)") == (std::string(target.name) == "kubernetes"));
  }
}

TEST_CASE("a name with a letter that does not show is in no job") {
  const TestFolder folder;
  for (const char* name : {"a\nb.yaml", "a\rb.yaml", "a\x1b[31m.yaml", "a\u0085.yaml", "a\u202E.yaml", "a\xFF.yaml"}) {
    const std::string file = folder.add(name, kOpen);
    for (const cli::EmitTarget& target : cli::emit_targets()) {
      const Ran r = ran({"emit", target.name, file});
      INFO(r.err);
      CHECK(r.status == 1);
      CHECK(r.out == "");
      CHECK(holds(r.err, "does not show, and is in no script"));
    }
  }
}

TEST_CASE("emit tells mistakes once, before a task is started") {
  CHECK(
      holds(ran({"emit", "slurms", "-"}, kOpen).err, "unknown target 'slurms', did you mean 'slurm'?; known: slurm, "));
  CHECK(ran({"emit", "slurms", "-"}, kOpen).status == 2);
  CHECK(ran({"emit", "slurm"}).status == 2);
  CHECK(ran({"emit", "slurm", "-"}, "jub: 1\n").status == 1);
  CHECK(ran({"emit", "slurm", "-", "--shards", "0"}, kOpen).status == 2);
}
