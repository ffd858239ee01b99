// `--shard I/N`, and the index that a scheduler gives.
#include "cli/commands/shard.h"

#include <doctest/doctest.h>

#include <map>

#include "tests/cli/sample_files.h"

namespace {

using Variables = std::map<std::string, std::string>;

struct Read {
  std::string wrong;
  int64_t shard = 0, shards = 1;
};

Read read(const std::string& text, const Variables& variables = {}) {
  planner::SearchOptions search;
  const cli::Environment environment = [&](const char* name) {
    const auto at = variables.find(name);
    return at == variables.end() ? nullptr : at->second.c_str();
  };
  std::string wrong = cli::read_shard(text, environment, search);
  return {std::move(wrong), search.shard + 1, search.shards};
}

Variables slurm(const char* id, const char* first, const char* last, const char* count, const char* step = "1") {
  return {{"SLURM_ARRAY_TASK_ID", id},
          {"SLURM_ARRAY_TASK_MIN", first},
          {"SLURM_ARRAY_TASK_MAX", last},
          {"SLURM_ARRAY_TASK_COUNT", count},
          {"SLURM_ARRAY_TASK_STEP", step}};
}

}  // namespace

TEST_CASE("--shard auto: number and size of arrays of Slurm, Kubernetes and SGE") {
  const struct {
    std::string text;
    Variables variables;
    int64_t shard, shards;
  } rows[] = {
      {"3/8", {}, 3, 8},
      {"auto", slurm("3", "1", "16", "16"), 3, 16},
      {"auto", slurm("0", "0", "7", "8"), 1, 8},
      {"auto", slurm("1", "1", "1", "1"), 1, 1},
      {"auto/16", slurm("7", "3", "7", "2", "4"), 7, 16},  // a part of the array, run again
      {"auto",
       {{"SGE_TASK_ID", "2"}, {"SGE_TASK_FIRST", "1"}, {"SGE_TASK_LAST", "4"}, {"SGE_TASK_STEPSIZE", "1"}},
       2,
       4},
      {"auto/4", {{"SGE_TASK_ID", "4"}}, 4, 4},
      {"auto/4", {{"JOB_COMPLETION_INDEX", "0"}}, 1, 4},
      {"auto/4", {{"JOB_COMPLETION_INDEX", "3"}, {"SGE_TASK_ID", "undefined"}}, 4, 4},
  };
  for (const auto& row : rows) {
    const Read r = read(row.text, row.variables);
    INFO(row.text, r.wrong);
    CHECK(r.wrong == "");
    CHECK(r.shard == row.shard);
    CHECK(r.shards == row.shards);
  }
}

TEST_CASE("--shard: what no index says is wrong usage") {
  const struct {
    std::string text;
    Variables variables;
    const char* says;
  } rows[] = {
      {"0/3", {}, "expected --shard I/N"},
      {"3", {}, "expected --shard I/N"},
      {"1/9999999", {}, "1000000 parts at most"},
      {"auto",
       {},
       "this is no task of an array: none of SLURM_ARRAY_TASK_ID (Slurm), JOB_COMPLETION_INDEX (Kubernetes)"},
      {"auto", {{"SGE_TASK_ID", "undefined"}}, "this is no task of an array"},
      {"auto",
       {{"JOB_COMPLETION_INDEX", "0"}},
       "Kubernetes does not say how many tasks there are: --shard auto/N does"},
      {"auto", slurm("3", "3", "7", "5"), "not all of 1 to N: --shard auto/N"},
      {"auto", slurm("3", "1", "7", "4"), "not all of 1 to N"},
      {"auto", slurm("3", "1", "7", "4", "2"), "not all of 1 to N"},
      {"auto/16", slurm("0", "0", "15", "16"), "SLURM_ARRAY_TASK_ID is 0, and its tasks count from 1 to 16"},
      {"auto/2", {{"JOB_COMPLETION_INDEX", "2"}}, "JOB_COMPLETION_INDEX is 2, and its tasks count from 0 to 1"},
      {"auto/2", {{"JOB_COMPLETION_INDEX", "1"}, {"SGE_TASK_ID", "1"}}, "both JOB_COMPLETION_INDEX and SGE_TASK_ID"},
      {"auto/", {{"SGE_TASK_ID", "1"}}, "expected --shard auto or auto/N"},
      {"auto/0", {{"SGE_TASK_ID", "1"}}, "expected --shard auto or auto/N"},
      {"automatic", {{"SGE_TASK_ID", "1"}}, "expected --shard auto or auto/N"},
  };
  for (const auto& row : rows) {
    const Read r = read(row.text, row.variables);
    INFO(row.text, r.wrong);
    CHECK(holds(r.wrong, row.says));
  }
}

TEST_CASE("lists of numbers as sbatch --array= takes them") {
  CHECK(cli::number_list({}) == "");
  CHECK(cli::number_list({3}) == "3");
  CHECK(cli::number_list({1, 2}) == "1-2");
  CHECK(cli::number_list({1, 3, 4, 5, 9}) == "1,3-5,9");
}
