// What each type of field takes and refuses, and the schema that a struct's line gives.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/dsl/sample.h"

using sample::Run;

namespace {

// The value that `text` gives for the field, or the first message without its place.
std::string given(const std::string& path, const std::string& text) {
  Run run(sample::complete("let: {n: 3, t: 2 s, yes_: true, word: '\"fp8\"', list: [1, 2], none: []}\n"),
          {{path + "=" + text}});
  return run.diagnostics.list.empty() ? run.at(path) : run.diagnostics.list[0].message;
}

const dsl::Field& row(const std::string& path) {
  const dsl::Schema& rows = sample::schema();
  auto it = std::find_if(rows.begin(), rows.end(), [&](const dsl::Field& f) { return f.path == path; });
  REQUIRE(it != rows.end());
  return *it;
}

struct Row {
  const char *text, *result;
};
void check(const std::string& path, std::initializer_list<Row> rows) {
  for (const Row& r : rows) {
    INFO(path << " = " << std::string(r.text));
    CHECK(given(path, r.text) == std::string(r.result));
  }
}

}  // namespace

TEST_CASE("a count takes whole numbers without unit") {
  check("job.batch", {{"8", "8"},
                      {"300e9", "300000000000"},
                      {"8.0", "8"},
                      {"010", "10"},
                      {"\"8\"", "8"},
                      {"n + 1", "4"},
                      {"2 s / 1 s", "2"},
                      {"t / 1 s", "2"},
                      {"9007199254740992", "9007199254740992"},
                      {"9007199254740994", "job.batch is larger than 2^53"},
                      {"1e300", "job.batch is larger than 2^53"},
                      {"8.5", "expected a whole number for job.batch, got 8.5"},
                      {"17 / 2", "expected a whole number for job.batch, got 8.5"},
                      {"0", "job.batch must be at least 1, got 0"},
                      {"-1", "job.batch must be at least 1, got -1"},
                      {"8 B", "expected a whole number for job.batch, got 8 B"},
                      {"t", "expected a whole number for job.batch, got 2 s"},
                      {"true", "expected a whole number for job.batch, got true"},
                      {"word", "expected a whole number for job.batch, got the string 'fp8'"},
                      {"bf16", "unknown name 'bf16'"},
                      {"list", "job.batch is an open choice of 2 values; plan needs one (use --pick first, or search)"},
                      {"none", "job.batch is an empty choice"},
                      {"[1, [2]]", "expected a whole number for job.batch, got a list"},
                      {"[1, {a: 2}]", "expected a whole number for job.batch, got a map"},
                      {"[1, ~]", "expected a whole number for job.batch, got nothing"},
                      {"{a: 1}", "expected a whole number for job.batch, got a map"},
                      {"", "expected a whole number for job.batch, got nothing"},
                      {"~", "expected a whole number for job.batch, got nothing"},
                      {"\"\"", "expected a value, got the end of the expression"}});
}

TEST_CASE("a number takes plain numbers in its range") {
  check("job.dropout", {{"0.25", "0.25"},
                        {"1 / 4", "0.25"},
                        {"0", "0"},
                        {"1", "1"},
                        {"1e-9", "1e-09"},
                        {"1.01", "job.dropout must be at most 1, got 1.01"},
                        {"-0.1", "job.dropout must be at least 0, got -0.1"},
                        {"0.1 s", "expected a plain number for job.dropout, got 0.1 s"},
                        {"false", "expected a plain number for job.dropout, got false"}});
}

TEST_CASE("a quantity takes a unit of its dimension") {
  check("cluster.price", {{"1.80 USD/h", "1.8 USD/h"},
                          {"\"1.80 USD/h\"", "1.8 USD/h"},
                          {"43.2 USD/d", "1.8 USD/h"},
                          {"3.6 USD / 2 h", "1.8 USD/h"},
                          {"0 USD/h", "0 USD/s"},
                          {"null", "null"},
                          {"~", "null"},
                          {"1.8", "expected money per time for cluster.price, got the plain number 1.8"},
                          {"0", "expected money per time for cluster.price, got the plain number 0"},
                          {"1.8 USD", "expected money per time for cluster.price, got 1.8 USD"},
                          {"-1 USD/h", "cluster.price must be at least 0 USD/s, got -1 USD/h"},
                          {"1 EUR/h", "unknown unit 'EUR'"},
                          {"USD", "expected a value, got the unit 'USD'"},
                          {"true", "expected money per time for cluster.price, got true"}});
  check("goal.deadline", {{"60 d", "60 d"}, {"60 d + 12 h", "1452 h"}, {"2 * t", "4 s"}, {"1 / 2 Hz", "500 ms"}});
}

TEST_CASE("a boolean takes true, false or a condition") {
  check("model.gated", {{"true", "true"},
                        {"\"false\"", "false"},
                        {"n > 2 and not (n > 4)", "true"},
                        {"yes_", "true"},
                        {"\"n in list\"", "false"},
                        {"1", "expected true or false for model.gated, got 1"},
                        {"yes", "unknown name 'yes'"},
                        {"True", "unknown name 'True'"},
                        {"word", "expected true or false for model.gated, got the string 'fp8'"}});
}

TEST_CASE("a word takes its words or a string") {
  check("parallelism.order",
        {{"dp-cp-tp", "dp-cp-tp"},
         {"\"dp-cp-tp\"", "dp-cp-tp"},
         {"'\"dp-cp-tp\"'", "dp-cp-tp"},
         {"[dp-cp-tp]", "dp-cp-tp"},
         {"tp-dp", "expected one of tp-cp-dp, dp-cp-tp for parallelism.order, got 'tp-dp'"},
         {"word", "expected one of tp-cp-dp, dp-cp-tp for parallelism.order, got the string 'fp8'"},
         {"3", "expected one of tp-cp-dp, dp-cp-tp for parallelism.order, got '3'"},
         {"\"\"", "expected one of tp-cp-dp, dp-cp-tp for parallelism.order, got ''"},
         {"n + 1", "expected one of tp-cp-dp, dp-cp-tp for parallelism.order, got 4"}});
  check("job.precision",
        {{"word", "fp8"}, {"\"if(n > 2, word, 1)\"", "fp8"}, {"\"if(n < 2, word, \\\"bf16\\\")\"", "bf16"}});
}

TEST_CASE("a name takes text") {
  check("model.name", {{"gpt", "gpt"},
                       {"gpt3-175b", "gpt3-175b"},
                       {"\"3 + x\"", "3 + x"},
                       {"\"\"", ""},
                       {"[a]", "a"},
                       {"12", "12"},
                       {"\"caf\xC3\xA9\"", "caf\xC3\xA9"},
                       {"{a: 1}", "expected a name for model.name, got a map"},
                       {"~", "expected a name for model.name, got nothing"}});
}

TEST_CASE("a field of many values takes a list or one") {
  check("parallelism.stages", {{"[1, 2]", "[1, 2]"},
                               {"3", "[3]"},
                               {"[]", "[]"},
                               {"list", "[1, 2]"},
                               {"pow2(1, 4)", "[1, 2, 4]"},
                               {"range(1, 2, 0.5)", "expected a whole number for parallelism.stages, got 1.5"},
                               {"[n, 2 * n]", "[3, 6]"},
                               {"[1, 0]", "parallelism.stages must be at least 1, got 0"},
                               {"[list]", "expected a whole number for parallelism.stages, got a list"},
                               {"[[1]]", "expected a whole number for parallelism.stages, got a list"},
                               {"{a: 1}", "expected a whole number for parallelism.stages, got a map"}});
}

TEST_CASE("conditions and goals are checked before there is a plan") {
  auto where = [](const std::string& text) {
    Run run(sample::complete(), {{"where=" + text}});
    return run.diagnostics.list.empty() ? std::to_string(run.record.find("where")->expressions.size()) : run.first();
  };
  CHECK(where("step < 3 s") == "1");
  CHECK(where("[step < 3 s, mfu > 0.1, memory.peak < cluster.gpu.memory]") == "3");
  CHECK(where("[usd / (mfu - mfu) < 3 USD]") == "1");  // a division by zero of placeholders is none
  CHECK(where("[]") == "0");
  CHECK(where("[step]") == "1:8: expected a condition for where, got time");
  CHECK(where("[stepp < 3 s]") == "1:8: unknown name 'stepp'");
  CHECK(where("[{a: 1}]") == "1:8: expected an expression for where, got a map");
  CHECK(where("[[a]]") == "1:8: expected an expression for where, got a list");
  CHECK(where("[usd < ]") == "1:13: expected a value, got the end of the expression");
  CHECK(where("[where]") == "1:8: values refer to each other in a circle: where -> where");
}

TEST_CASE("a struct's line gives the row of the schema") {
  CHECK(row("job.batch").type == dsl::Type::count);
  CHECK(row("job.batch").required);
  CHECK(row("job.batch").least == 1);
  CHECK(row("job.tokens").optional);
  CHECK(!row("job.tokens").required);
  CHECK(row("job.dropout").type == dsl::Type::number);
  CHECK(row("job.dropout").otherwise == "0.1");
  CHECK(row("job.dropout").most == 1);
  CHECK(row("model.gated").type == dsl::Type::boolean);
  CHECK(row("model.name").type == dsl::Type::name);
  CHECK(!row("model.name").required);
  CHECK(row("job.precision").type == dsl::Type::word);
  CHECK(row("job.precision").words == std::vector<std::string>{"fp32", "bf16", "fp8"});
  CHECK(row("cluster.price").type == dsl::Type::quantity);
  CHECK((row("cluster.price").dim == dsl::kPrice));
  CHECK(row("cluster.network[].bandwidth").required);
  CHECK(row("cluster.gpu.kernels.*.forward").type == dsl::Type::number);
  CHECK(row("parallelism.stages").many);
  CHECK(!row("parallelism.stages").required);
  CHECK(row("where").type == dsl::Type::expression);
  CHECK(row("where").many);
  CHECK(row("goal.minimize").optional);
  CHECK(row("goal.minimize").doc == "what is made small");
}
