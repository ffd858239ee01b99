// Mistakes on a command line: in --set, in a flag's value, in arguments without a flag. Each message says what to type
// instead.
#include <doctest/doctest.h>

#include "tests/cli/harness.h"
#include "tests/proposals.h"

namespace {

const char* const kScenario = R"(model: {use: gpt3-1.3b}
job: {sequence: 2048, global_batch: 64, tokens: 1e10}
cluster: {use: dgx-a100-80gb, gpus: 8}
)";

struct Row {
  const char *set, *place, *message, *hint;
};
constexpr Row kRows[] = {
    {"tp=4", "1:1", "unknown field 'tp'", "did you mean 'parallelism.tp'?"},
    {"parallelism.tpp=4", "1:13", "unknown field 'parallelism.tpp'", "did you mean 'pp' or 'tp'?"},
    {"job.microbatch=2", "1:5", "unknown field 'job.microbatch'", "did you mean 'parallelism.microbatch'?"},
    {"network.nvlink.latency=1 us", "1:1", "unknown field 'network'", "did you mean 'cluster.network'?"},
    {"job.global_batch:64", "1:1", "expected PATH=VALUE, such as job.global_batch=2048", "write 'job.global_batch=64'"},
    {"job.global_batch 64", "1:1", "expected PATH=VALUE, such as job.global_batch=2048", "write 'job.global_batch=64'"},
    {"job.global_batch: 64", "1:1", "expected PATH=VALUE, such as job.global_batch=2048",
     "write 'job.global_batch=64'"},
    {"parallelism.tp==4", "1:15", "expected one '=' behind the path", "write '='"},
    {"cluster.network.nvlnk.latency=1 us", "1:17", "no item of this list is named 'nvlnk'", "did you mean 'nvlink'?"},
    {"cluster.network.ethernet.latency=1 us", "1:17", "no item of this list is named 'ethernet'",
     "did you mean 'nvlink' or 'infiniband'?"},
    {"cluster.network[5].latency=1 us", "1:9", "there is no item 5 in 'network'", "its items are [0] to [1]"},
    {"cluster.gpus=64x8", "1:14", "a product is written with '*'", "write '64 * 8'"},
    {"job.tokens=300B", "1:12", "expected a whole number for job.tokens, got 300B", "write '300e9'"},
    {"job.tokens=2024-01-01", "1:12", "expected a whole number for job.tokens, got the date 2024-01-01",
     "write '2024 - 01 - 01' for a difference"},
    {"model.use=llama-3-8b", "1:11", "no model named 'llama-3-8b'", "did you mean 'llama3-8b'?"},
    {"model=gpt3-175b", "1:7", "expected a map of fields for model, got 'gpt3-175b'", "write '{use: gpt3-175b}'"},
    {"cluster.gpu.memory=80 Gb", "1:20", "expected bytes for cluster.gpu.memory, got 80 Gb, which are bits",
     "write '80 GB'"},
    {"where=memory <= 80 GiB", "1:7", "unknown name 'memory'", "did you mean 'memory.peak'?"},
    {"goal.minimize=cost", "1:15", "unknown name 'cost'", "did you mean 'usd'?"},
    {"parallelism={tp=4}", "1:14", "expected ':' behind 'tp', got '='", "write 'tp: 4'"},
    {"parallelism.tp=$TP", "1:16", "variables of a shell are not filled in here",
     "name the value in 'let', and change it with --set let.NAME=VALUE"},
};

Ran check_with(const std::string& set) { return ran({"search", "-", "--set", set}, kScenario); }

std::string told(const Row& row) { return std::string("--set:") + row.place + ": error: " + row.message + "\n"; }

}  // namespace

TEST_CASE("a mistake in --set is told at its place, with its cause and what to type") {
  for (const Row& row : kRows) {
    INFO(std::string(row.set));
    const Ran r = check_with(row.set);
    CHECK(r.status == 1);
    CHECK_MESSAGE(r.err.starts_with(told(row)), r.err);
    CHECK_MESSAGE(r.err.ends_with(std::string("\nhint: ") + row.hint + "\n"), r.err);
  }
}

TEST_CASE("a value beyond any machine is refused, with the most that there is") {
  for (const char* set : {"cluster.network.nvlink.latency=1e15 s", "cluster.network.nvlink.latency=1e6 s",
                          "software.overlap.hidden_data=1000", "cluster.gpus=1e10"}) {
    INFO(std::string(set));
    const Ran r = check_with(set);
    CHECK(r.status == 1);
    CHECK_MESSAGE(r.err.find(" must be at most 1") != std::string::npos, r.err);
  }
}

TEST_CASE("a value that the hint of a --set proposes is taken") {
  for (const Row& row : kRows)
    for (const std::string& proposal : proposals::of(row.hint)) {
      const std::string set = row.set;
      const size_t at = static_cast<size_t>(std::stoul(std::string(row.place).substr(2))) - 1;
      const bool is_value = at > 0 && set[at - 1] == '=';
      if (!is_value) continue;
      INFO(set);
      const Ran r = check_with(set.substr(0, at) + proposal);
      CHECK_MESSAGE(r.err.find(row.message) == std::string::npos, r.err);
    }
}

TEST_CASE("a flag's wrong value is told with what the flag takes") {
  const struct {
    std::vector<std::string> args;
    const char* says;
  } rows[] = {
      {{"plan", "-", "--format", "jsn"},
       "--format: 'jsn' is not one of table, json, ndjson, csv, tsv, md, html, svg, dot, github, sarif; did you mean "
       "'json'?"},
      {{"plan", "-", "--format"}, "--format needs a value: --format table|json|ndjson|csv|tsv|md|html|svg|dot"},
      {{"search", "-", "--top", "ten"}, "--top: expected a whole number from 1, got 'ten'"},
      {{"search", "-", "--top=1.5"}, "--top: expected a whole number from 1, got '1.5'"},
      {{"search", "-", "--top", "0"}, "--top: expected a whole number from 1, got '0'"},
      {{"plan", "-", "parallelism.tp=4"},
       "unexpected argument 'parallelism.tp=4', a field is set with --set parallelism.tp=4"},
      {{"plan", "-", "--st", "x=1"}, "unknown flag '--st', did you mean '--set'?"},
      {{"a.yaml"}, "unknown command 'a.yaml', a file stands behind one: trainplan plan a.yaml"},
  };
  for (const auto& row : rows) {
    INFO(std::string(row.says));
    const Ran r = ran(row.args, kScenario);
    CHECK(r.status == 2);
    CHECK_MESSAGE(r.err.find(row.says) != std::string::npos, r.err);
  }
}
