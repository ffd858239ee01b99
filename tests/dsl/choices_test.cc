// Choices that depend on each other, fields of many values, and every limit at its end.
#include <doctest/doctest.h>

#include "tests/dsl/sample.h"

using sample::complete;
using sample::Run;

namespace {

dsl::EvaluateOptions picking() {
  dsl::EvaluateOptions o = sample::options();
  o.pick_first = true;
  return o;
}

// The choices of a run: "parallelism.tp=2 parallelism.pp=4".
std::string chosen(const Run& run) {
  std::string out;
  for (const auto& [path, value] : run.record.choices)
    out += (out.empty() ? "" : " ") + path + "=" + dsl::to_text(value);
  return out;
}

std::string repeated(const std::string& text, size_t times) {
  std::string out;
  for (size_t i = 0; i < times; ++i) out += text;
  return out;
}

std::string numbered(const std::string& front, int count, const std::string& back) {
  std::string out;
  for (int i = 0; i < count; ++i) out += front + std::to_string(i) + back;
  return out;
}

}  // namespace

TEST_CASE("a choice may depend on fields, names and other choices") {
  const struct {
    const char *layout, *choices, *tp, *pp, *dp;
  } rows[] = {
      {"{tp: [2, 4]}", "parallelism.tp=2", "2", "1", "32"},
      {"{tp: [2, 4], pp: [tp, 8]}", "parallelism.tp=2 parallelism.pp=2", "2", "2", "16"},
      {"{pp: [tp, 8], tp: [4, 2]}", "parallelism.tp=4 parallelism.pp=4", "4", "4", "4"},
      {"{tp: \"pow2(2, 8)\"}", "parallelism.tp=2", "2", "1", "32"},
      {"{tp: \"range(3, tp_most)\"}", "parallelism.tp=3", "3", "1", "21"},
      {"{pp: divisors(model.layers)}", "parallelism.pp=1", "1", "1", "64"},
      {"{tp: [8], pp: divisors(1)}", "", "8", "1", "8"},
      {"{tp: \"if(cluster.gpus > 8, [8, 4], [2, 1])\"}", "parallelism.tp=8", "8", "1", "8"},
      {"{tp: few}", "parallelism.tp=5", "5", "1", "12"},
      {"{tp: [2, 4], pp: [2, 4], dp: [cluster.gpus / (tp * pp), 1]}",
       "parallelism.tp=2 parallelism.pp=2 parallelism.dp=16", "2", "2", "16"},
      {"{tp: [2, 2]}", "parallelism.tp=2", "2", "1", "32"},
      {"{tp: [1 + 1, 2 * 2]}", "parallelism.tp=2", "2", "1", "32"},
  };
  for (const auto& row : rows) {
    INFO(std::string(row.layout));
    Run run(complete("let: {tp_most: 4, few: [5, 6]}\nparallelism: " + std::string(row.layout) + "\n"), {}, picking());
    CHECK(run.errors() == "");
    CHECK(chosen(run) == std::string(row.choices));
    CHECK(run.at("parallelism.tp") == std::string(row.tp));
    CHECK(run.at("parallelism.pp") == std::string(row.pp));
    CHECK(run.at("parallelism.dp") == std::string(row.dp));
  }
}

TEST_CASE("any type of field may be a choice, except a name's own text") {
  const struct {
    const char *set, *path, *value;
  } rows[] = {{"job.precision=[fp8, bf16]", "job.precision", "fp8"},
              {"parallelism.order=[dp-cp-tp, tp-cp-dp]", "parallelism.order", "dp-cp-tp"},
              {"parallelism.sequence_parallel=[true, false]", "parallelism.sequence_parallel", "true"},
              {"job.dropout=[0.2, 0.1]", "job.dropout", "0.2"},
              {"cluster.price=[2 USD/h, 1 USD/h]", "cluster.price", "2 USD/h"},
              {"goal.deadline=range(1 d, 3 d, 1 d)", "goal.deadline", "1 d"},
              {"cluster.gpu.memory=[40 GB, 80 GB]", "cluster.gpu.memory", "40 GB"},
              {"cluster.network[1].latency=[2 us, 3 us]", "cluster.network[1].latency", "2 us"},
              {"job.tokens=[1e9, 2e9]", "job.tokens", "1000000000"}};
  for (const auto& row : rows) {
    INFO(std::string(row.set));
    Run run(complete(), {{row.set}}, picking());
    CHECK(run.errors() == "");
    CHECK(run.at(row.path) == std::string(row.value));
    REQUIRE(run.record.choices.size() == 1);
    CHECK(run.record.choices[0].first == row.path);
    const Run refused(complete(), {{row.set}});
    REQUIRE(refused.diagnostics.list.size() == 1);
    CHECK(refused.first().find(std::string(row.path) + " is an open choice of ") != std::string::npos);
  }
}

TEST_CASE("every value of a choice is checked, also those that are not picked") {
  const struct {
    const char *layout, *first;
  } rows[] = {{"{tp: [2, 0]}", "4:23: parallelism.tp must be at least 1, got 0"},
              {"{tp: [2, 2.5]}", "4:23: expected a whole number for parallelism.tp, got 2.5"},
              {"{tp: [2, 1 s]}", "4:23: expected a whole number for parallelism.tp, got 1 s"},
              {"{tp: [2, nothing]}", "4:23: unknown name 'nothing'"},
              {"{tp: range(-1, 2)}", "4:27: expected ',' or ')', got the end of the expression"},
              {"{tp: \"range(-1, 2)\"}", "4:19: parallelism.tp must be at least 1, got -1"},
              {"{tp: [tp, 2]}", "4:20: values refer to each other in a circle: parallelism.tp -> parallelism.tp"},
              {"{tp: [2], pp: []}", "4:28: parallelism.pp is an empty choice"},
              {"{tp: divisors(model.layers / 5)}", "4:19: divisors takes a whole number from 1 to 1e12"}};
  for (const auto& row : rows) {
    INFO(std::string(row.layout));
    CHECK(Run(complete("parallelism: " + std::string(row.layout) + "\n"), {}, picking()).first() ==
          std::string(row.first));
  }
}

TEST_CASE("a field of many values is a list however it is written") {
  const struct {
    const char *text, *value;
  } rows[] = {{"[]", "[]"},
              {"7", "[7]"},
              {"\"7\"", "[7]"},
              {"[7]", "[7]"},
              {"[1, 2, 3]", "[1, 2, 3]"},
              {"[model.layers, tp]", "[96, 1]"},
              {"divisors(6)", "[1, 2, 3, 6]"},
              {"[2 * 3, 48 / 2]", "[6, 24]"},
              {"\"[4, 5]\"", "[4, 5]"},
              {"\n    - 1\n    - 2", "[1, 2]"}};
  for (const auto& row : rows) {
    INFO(std::string(row.text));
    Run run(complete("parallelism:\n  stages: " + std::string(row.text) + "\n"));
    CHECK(run.errors() == "");
    CHECK(run.at("parallelism.stages") == std::string(row.value));
    CHECK(run.record.choices.empty());
  }
  for (const char* text : {"where: tp == 1", "where: [tp == 1]", "where:\n  - tp == 1", "where: [\"tp == 1\"]"}) {
    INFO(std::string(text));
    Run run(complete(std::string(text) + "\n"));
    CHECK(run.errors() == "");
    CHECK(run.record.find("where")->expressions.size() == 1);
  }
}

TEST_CASE("a choice has at most ten thousand values, written or computed") {
  const std::string most = "parallelism:\n  tp: [" + repeated("1, ", 9999) + "1]\n";
  const std::string more = "parallelism:\n  tp: [" + repeated("1, ", 10000) + "1]\n";
  CHECK(Run(complete(most), {}, picking()).errors() == "");
  CHECK(Run(complete(more), {}, picking()).first() == "5:7: parallelism.tp has more than 10000 values");
}

TEST_CASE("files, maps, tables and nesting at their limits and one above") {
  const std::string head = "model: {use: gpt}\njob: {sequence: 1, batch: 1}\ncluster:\n  gpus: 8\n";
  auto tiers = [&](int count) {
    return Run(head + "  gpu: {memory: 1 GB}\n  network:\n" +
               numbered("    - {name: x", count, ", bandwidth: 1 GB/s}\n"))
        .first();
  };
  CHECK(tiers(1000) == "");
  CHECK(tiers(1001) == "7:5: cluster.network has more than 1000 entries");
  auto kernels = [&](int count) {
    return Run(head + "  gpu:\n   memory: 1 GB\n   kernels:\n" + numbered("    k", count, ": {forward: 0.5}\n"))
        .first();
  };
  CHECK(kernels(1000) == "");
  CHECK(kernels(1001) == "8:5: cluster.gpu.kernels has more than 1000 entries");

  const std::string fill = complete();
  const size_t limit = dsl::ParseLimits{}.bytes;
  CHECK(Run(fill + std::string(limit - fill.size(), '#')).errors() == "");
  CHECK(Run(fill + std::string(limit - fill.size() + 1, '#')).first() == "1:1: the text is longer than 1048576 bytes");

  CHECK(Run(complete("let:\n" + numbered("  n", 10000, ": 1\n"))).errors() == "");
  CHECK(Run(complete("let:\n" + numbered("  n", 10001, ": 1\n"))).first() == "10005:3: a map has more than 10000 keys");

  auto nested = [](size_t depth) {
    return Run(complete("let: {a: " + std::string(depth - 2, '[') + std::string(depth - 2, ']') + "}\n")).first();
  };
  CHECK(nested(64).find("nest more than") == std::string::npos);
  CHECK(nested(65) == "4:72: lists and maps nest more than 64 deep");
}

TEST_CASE("references in a row, brackets and characters at their limits and one above") {
  auto row_of = [](int count) {
    return Run(complete("let:\n  y0: 1\n" +
                        [&] {
                          std::string lines;
                          for (int i = count; i > 0; --i)
                            lines = "  y" + std::to_string(count - i + 1) + ": y" + std::to_string(count - i) + "\n" +
                                    lines;
                          return lines;
                        }() +
                        ""))
        .errors();
  };
  CHECK(row_of(199) == "");
  CHECK(row_of(202).find("more than 200 values refer to each other in a row") != std::string::npos);

  auto batch = [](const std::string& text) { return Run(complete(), {{"job.batch=" + text}}).first(); };
  CHECK(batch("\"" + repeated("(", 100) + "1" + repeated(")", 100) + "\"") == "");
  CHECK(batch("\"" + repeated("(", 101) + "1" + repeated(")", 101) + "\"") ==
        "1:112: brackets nest more than 100 deep");
  CHECK(batch(repeated("1 + ", 1023) + "1   ") == "");
  CHECK(batch(repeated("1+", 2047) + "10") == "");
  CHECK(batch(repeated("1+", 2047) + "100") == "1:11: the expression has more than 4096 characters");
  CHECK(batch("9007199254740992") == "");
  CHECK(batch("9007199254740993") == "");  // the nearest double is 2^53
  CHECK(batch("9007199254740994") == "1:11: job.batch is larger than 2^53");
}
