// Unknown keys: what each was meant for, and that each is reported once.
#include <doctest/doctest.h>

#include "tests/dsl/sample.h"

namespace {

struct Row {
  const char *text, *first, *hint;
};

const char* const kModel = "model: {use: gpt}\n";
const char* const kJob = "job: {sequence: 2048, batch: 8}\n";
const char* const kCluster = "cluster: {use: dgx, gpus: 64}\n";

void check(const std::string& before, std::initializer_list<Row> rows) {
  for (const Row& row : rows) {
    INFO(std::string(row.text));
    const sample::Run run(before + row.text);
    CHECK(run.first() == row.first);
    CHECK(run.diagnostics.list.size() == 1);
    CHECK(run.diagnostics.list.at(0).hint == row.hint);
  }
}

}  // namespace

TEST_CASE("a key of another section is named with its path") {
  check(std::string(kModel) + kJob + kCluster,
        {{"tp: 2\n", "4:1: unknown field 'tp'", "did you mean 'parallelism.tp'?"},
         {"deadline: 3 d\n", "4:1: unknown field 'deadline'", "did you mean 'goal.deadline'?"},
         {"goal: {tp: 2}\n", "4:8: unknown field 'goal.tp'", "did you mean 'parallelism.tp'?"},
         {"goal: {where: [tp > 1]}\n", "4:8: unknown field 'goal.where'", "'where' stands at the top of a file"},
         {"parallelism.tp: 2\n", "4:1: expected a section, got the path 'parallelism.tp'",
          "write 'parallelism: {tp: 2}'"},
         {"goal: {zzz: 1}\n", "4:8: unknown field 'goal.zzz'", "goal has minimize, deadline"}});
}

TEST_CASE("a key that stands for a required field is one mistake, not two") {
  check(
      std::string(kModel) + kCluster,
      {{"job: {sequnce: 2048, batch: 8}\n", "3:7: unknown field 'job.sequnce'", "did you mean 'sequence'?"},
       {"job: {sequence: 2048, global_batch: 8}\n", "3:23: unknown field 'job.global_batch'", "did you mean 'batch'?"},
       {"job: {sequence = 2048, batch: 8}\n", "3:7: expected ':' behind 'sequence', got '='", "write 'sequence: 2048'"},
       {"job: {sequence:2048, batch: 8}\n", "3:7: expected a blank behind 'sequence:'", "write 'sequence: 2048'"},
       {"jobs: {sequence: 2048, batch: 8}\n", "3:1: unknown field 'jobs'", "did you mean 'job'?"}});
  check(std::string(kModel) + kJob,
        {{"clusters: {use: dgx, gpus: 64}\n", "3:1: nothing can be pulled in at 'clusters'", "did you mean 'cluster'?"},
         {"cluster: {dgx, gpus: 64}\n", "3:11: expected 'use' before the name 'dgx'", "write 'use: dgx'"},
         {"cluster: {use: dgx, gpu: 64}\n", "3:21: cluster.gpu is a section, and takes no number",
          "did you mean 'gpus'?"},
         {"cluster:\nuse: dgx\n", "4:1: 'use' is not indented below 'cluster'", "write '  use'"}});
}

TEST_CASE("a comma inside a number is told at the number") {
  check(std::string(kModel) + kCluster,
        {{"job: {sequence: 2,048, batch: 8}\n", "3:17: a number has no commas", "write '2048'"}});
}

TEST_CASE("a section that is no map is told with what it takes") {
  check(std::string(kModel) + kJob + kCluster,
        {{"goal: usd\n", "4:7: expected a map of fields for goal, got 'usd'", "goal has minimize, deadline"},
         {"parallelism: [{tp: 2}]\n", "4:14: expected a map of fields for parallelism, got a list",
          "the fields of a section have no '-' before them"},
         {"parallelism: tp = 2\n", "4:14: expected ':' behind 'tp', got '='", "write 'tp: 2'"}});
}
