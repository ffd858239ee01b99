// A row of a search that is read again is the scenario that was costed: every command that does so, every field of the
// schema as a choice.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <span>

#include "planner/scenario/scenario.h"
#include "tests/cli/commands/every_choice.h"
#include "tests/cli/harness.h"
#include "tests/cli/sample_files.h"
#include "tests/dsl/folder.h"

using Json = nlohmann::ordered_json;
using choices::Choice;

namespace {

using Args = std::vector<std::string>;

/// `trainplan ARGS`, the scenario on standard input, with `more` behind it.
Ran ran_on(const Choice& choice, Args args, const std::string& more = "") {
  args.insert(args.begin() + 1, {"-", "--set", choice.set, "--quiet"});
  return ran(args, choice.text + more);
}

Json json(const Choice& choice, Args args, const std::string& more = "") {
  args.insert(args.end(), {"--format", "json"});
  const Ran r = ran_on(choice, args, more);
  const bool answered = r.status == 0 || r.status == 3;
  REQUIRE_MESSAGE(answered, fmt::format("{}: {}", fmt::join(args, " "), r.err));
  return Json::parse(r.out);
}

/// Whether a row's figures are those of a plan.
void check_plan(const Json& row, const Json& plan) {
  const Json &step = plan.at("step"), &cost = plan.at("cost");
  CHECK(row.at("step_seconds") == step.at("seconds"));
  CHECK(row.at("low_seconds") == step.at("low_seconds"));
  CHECK(row.at("high_seconds") == step.at("high_seconds"));
  CHECK(row.at("mfu") == plan.at("throughput").at("mfu"));
  CHECK(row.at("peak_bytes") == plan.at("memory").at("peak_bytes"));
  for (const char* figure : {"days", "usd", "kwh"}) CHECK(row.at(figure) == cost.at(figure));
}

void check_same(const Json& row, const Json& other, const Args& figures) {
  for (const std::string& figure : figures) CHECK_MESSAGE(row.at(figure) == other.at(figure), figure);
}

/// The value of the choice in a row, as a scenario writes it; a text may be quoted.
std::string value_of(const Choice& choice, const Json& row, bool quoted) {
  const Json& value = row.at("choices").at(choice.path);
  return value.is_string() && !(quoted && choice.is_text) ? value.get<std::string>() : value.dump();
}

bool is_row_of_schema(const std::string& path) {
  return std::ranges::count(planner::scenario_schema(), path, &dsl::Field::path) > 0;
}

/// --explain, --sensitivity, --why and --verify of one search; its rows.
Json search_rows(const Choice& choice) {
  const Json first = json(choice, {"search", "--verify", "2", "--explain", "1", "--sensitivity"});
  const Json& rows = first.at("plans");
  if (rows.size() < 2) return rows;
  const double behind = rows[1].at("step_seconds").get<double>() - rows[0].at("step_seconds").get<double>();
  CHECK(first.at("explain").at("seconds") == behind);
  if (!is_row_of_schema(choice.path)) return rows;  // --why names no items of lists and tables
  const std::string asked = fmt::format("{}={}", choice.path, value_of(choice, rows[1], false));
  const Json why = json(choice, {"search", "--why", asked}).at("why");
  CHECK_MESSAGE(why.at("feasible") == 1, asked);
  CHECK(why.at("explain").at("seconds") == behind);
  return rows;
}

/// --pick takes each row: `plan` has its figures, the other commands print the same as for its value.
void check_picked(const Choice& choice, const Json& rows) {
  for (size_t i = 0; i < rows.size(); ++i) check_plan(rows[i], json(choice, {"plan", "--pick", std::to_string(i + 1)}));
  const std::string last = std::to_string(rows.size());
  const Json comm = json(choice, {"comm", "--pick", last});
  CHECK(comm.at("step_seconds") == rows.back().at("step_seconds"));
}

/// `compare` and `ops` read as `plan` does.
void check_more(const Choice& choice, const Json& rows) {
  const std::string last = std::to_string(rows.size());
  const TestFolder folder;
  Args compare{"compare", folder.add("b.yaml", choice.text), "--pick", last};
  const Json both = json(choice, compare);
  check_plan(rows.back(), both.at("a"));
  check_plan(rows.back(), both.at("b"));
  const std::string value = fmt::format("{}={}", choice.path, value_of(choice, rows.back(), true));
  CHECK(json(choice, {"ops", "--pick", last}) == json(choice, {"ops", "--set", value}));
}

/// The output of --pick equals that for the written value, byte for byte; a value that cannot be exported gives
/// nothing.
void check_written(const Choice& choice, const Json& rows) {
  const size_t last = rows.size();
  const std::string value = fmt::format("{}={}", choice.path, value_of(choice, rows.back(), true));
  for (const Args& args : {Args{"export", "--to", "megatron"}, {"comm", "--format", "csv"}}) {
    Args picked = args;
    picked.insert(picked.end(), {"--pick", std::to_string(last)});
    Args written = args;
    written.insert(written.end(), {"--set", value});
    const Ran a = ran_on(choice, picked), b = ran_on(choice, written);
    CHECK(a.out == b.out);
    CHECK(a.status == b.status);
  }
}

/// `clusters`, `roadmap` and the assertions of a search read the best row.
void check_best(const Choice& choice, const Json& best) {
  const Json machines = json(choice, {"clusters"}).at("rows");
  const auto machine = std::ranges::find(machines, best.at("gpus"), [](const Json& row) { return row.at("gpus"); });
  REQUIRE(machine != machines.end());
  check_same(*machine, best, {"step_seconds", "days", "usd", "mfu", "kwh"});
  const Json cell = json(choice, {"roadmap"}, "roadmap: {steps: [{name: now}]}\n").at("cells").at(0);
  check_same(cell, best, {"step_seconds", "low_seconds", "high_seconds", "mfu"});
  const std::string value = value_of(choice, best, true);
  if (value == "null" || choice.path.find_first_of("+-") != std::string::npos) return;  // operators, no names
  const std::string is_best = fmt::format("{} == {}", choice.path, value);
  const Json asserted = json(choice, {"search"}, fmt::format("assert: ['{}']\n", is_best)).at("assertions").at(0);
  CHECK_MESSAGE(asserted.at("holds") == true, is_best);
}

void check_first(const Choice& choice, const Json& rows) { check_best(choice, rows[0]); }

/// What reads the rows of a search.
constexpr void (*kReaders[])(const Choice&, const Json&){check_picked, check_written, check_first, check_more};

void check(const Choice& choice, std::span<void (*const)(const Choice&, const Json&)> readers) {
  CAPTURE(choice.set);
  const Json rows = search_rows(choice);
  REQUIRE(!rows.empty());
  for (const auto reader : readers) reader(choice, rows);
}

/// Fields that these scenarios do not have, or without two values that can be planned with the others.
const std::set<std::string> kWithout{"cluster.carbon",
                                     "cluster.checkpoint.interval",
                                     "cluster.gpu.calibration.models.vector",
                                     "cluster.gpu.flops.mxfp8",
                                     "cluster.gpu.flops.nvfp4",
                                     "cluster.node_failures",
                                     "cluster.power_price",
                                     "cluster.purchase.node_price",
                                     "goal.budget",
                                     "goal.deadline",
                                     "model.kinds[].letter",
                                     "model.kinds[].steps[].parameters",
                                     "model.mtp_pattern",
                                     "model.operators[].kernel",
                                     "model.operators[].kernel_width",
                                     "model.operators[].stride",
                                     "model.operators[].stride_width",
                                     "model.pattern",
                                     "operator_models.concurrent-gemm",
                                     "operator_models.host-copy",
                                     "operator_models.host-update",
                                     "operator_models.lookup",
                                     "operator_models.near-update",
                                     "operator_models.scan",
                                     "operator_models.selection",
                                     "operator_models.step",
                                     "operator_models.update",
                                     "operator_models.vector",
                                     "parallelism.balance",
                                     "parallelism.dp",
                                     "software.instances",
                                     "software.release"};

}  // namespace

TEST_CASE("what is read again of a row has its figures: all commands, every field as a choice") {
  std::set<std::string> without;
  const std::vector<Choice> all = choices::every_choice(without);
  for (const std::string& field : without) CHECK_MESSAGE(kWithout.contains(field), field);
  CHECK(without == kWithout);
  // The readers take turns. A seed, as a night has it, begins with another one.
  const char* seed = std::getenv("TRAINPLAN_SEED");
  const size_t first = seed ? std::strtoull(seed, nullptr, 10) : 0;
  for (size_t i = 0; i < all.size(); ++i)
    check(all[i], std::span(kReaders).subspan((first + i) % std::size(kReaders), 1));
}

TEST_CASE("a row that is read again: a number, a word and a quantity") {
  const char* const kText = R"(
model: {use: gpt3-1.3b}
job: {sequence: 1024, global_batch: 16, tokens: 1e9}
cluster: {use: dgx-a100-80gb, gpus: 8}
parallelism: {auto: false, tp: 2, dp: 4}
)";
  check({kText, "parallelism.microbatch", "parallelism.microbatch=[1, 2]"}, kReaders);
  check({kText, "parallelism.recompute", "parallelism.recompute=[none, full]", true}, kReaders);
  check({kText, "cluster.gpu.memory_bandwidth", "cluster.gpu.memory_bandwidth=[1.5 TB/s, 2 TB/s]"}, kReaders);
}
