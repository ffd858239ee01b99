// The loop of docs/agents.md: what there is, a scenario, its mistakes until none is left, figures of a plan.
#include <doctest/doctest.h>

#include <set>

#include "tests/cli/harness.h"
#include "tests/cli/sample_files.h"

namespace {

/// A document that a command prints, whatever its exit status.
Json page_of(std::vector<std::string> args, const std::string& in, int status = 0) {
  args.insert(args.end(), {"--quiet", "--format", "json"});
  const Ran r = ran(args, in);
  CHECK_MESSAGE(r.status == status, r.err);
  return Json::parse(r.out);
}

/// The word in quotes behind "did you mean".
std::string meant_by(const std::string& hint) {
  const size_t from = hint.find('\'') + 1;
  return hint.substr(from, hint.find('\'', from) - from);
}

/// What a program does with a misspelt key: it writes what the hint says, at the place that the diagnostic names.
std::string mended(std::string text, const Json& diagnostic) {
  REQUIRE(diagnostic.at("hint").get<std::string>().starts_with("did you mean"));
  size_t line_begin = 0;
  for (int line = 1; line < diagnostic.at("line").get<int>(); ++line) line_begin = text.find('\n', line_begin) + 1;
  const size_t at = line_begin + diagnostic.at("column").get<size_t>() - 1;
  return text.replace(at, text.find(':', at) - at, meant_by(diagnostic.at("hint")));
}

}  // namespace

TEST_CASE("a program mends a scenario by its diagnostics alone, and reads the figures of its plan") {
  std::string text =
      "model: {use: llama3-8b}\n"
      "job: {sequence: 8192, global_batch: 64, tokns: 1e12}\n"
      "cluster: {use: dgx-h100, gpus: 8}\n"
      "paralelism: {tp: 8, recompute: full, zero: 1}\n";
  int rounds = 0;
  for (Json list = page_of({"check", "-"}, text, 1).at("diagnostics"); !list.empty(); ++rounds) {
    REQUIRE(rounds < 4);
    text = mended(text, list[0]);
    const Ran again = ran({"check", "-", "--quiet", "--format", "json"}, text);
    list = Json::parse(again.out).at("diagnostics");
    CHECK((again.status == 0) == list.empty());
  }
  CHECK(rounds == 2);
  const Json plan = page_of({"plan", "-"}, text);
  CHECK(plan.at("feasible") == true);
  const Json& step = plan.at("step");
  CHECK(step.at("low_seconds").get<double>() < step.at("seconds").get<double>());
  CHECK(step.at("seconds").get<double>() < step.at("high_seconds").get<double>());
  CHECK(plan.at("cost").at("days").get<double>() > 0);
  const Json again = page_of({"plan", "-"}, plan.at("scenario").dump());
  CHECK(again.at("step") == step);
}

TEST_CASE("a scenario of JSON is one of YAML") {
  const Json scenario{{"model", {{"use", "llama3-8b"}}},
                      {"job", {{"sequence", 8192}, {"global_batch", 64}}},
                      {"cluster", {{"use", "dgx-h100"}, {"gpus", 8}}},
                      {"parallelism", {{"tp", 8}, {"recompute", "full"}}}};
  const std::string yaml =
      "model: {use: llama3-8b}\njob: {sequence: 8192, global_batch: 64}\ncluster: {use: dgx-h100, gpus: 8}\n"
      "parallelism: {tp: 8, recompute: full}\n";
  CHECK(page_of({"plan", "-"}, scenario.dump()).at("step") == page_of({"plan", "-"}, yaml).at("step"));
}

TEST_CASE("the schema of a plan describes each figure of its JSON") {
  const Json schema = Json::parse(ran({"schema", "output/plan"}).out).at("properties");
  const Json plan = page_of({"plan", "example:gpt3-175b"}, "");
  for (const char* section : {"step", "throughput", "cost"}) {
    std::set<std::string> described;
    for (const auto& member : schema.at(section).at("properties").items()) described.insert(member.key());
    for (const auto& member : plan.at(section).items())
      CHECK_MESSAGE((described.contains(member.key()) || member.value().is_structured()), member.key());
  }
}

TEST_CASE("the exit status says what the answer is") {
  struct Row {
    std::vector<std::string> args;
    int status;
    const char* has;  // the member that a program reads
  };
  for (const Row& row : {Row{{"plan", "example:gpt3-175b"}, 0, "step"},
                         Row{{"plan", "example:gpt3-175b", "--set", "parallelism.tp=four"}, 1, "diagnostics"},
                         Row{{"plan", "example:gpt3-175b", "--set", "parallelism.tp=3"}, 3, "violations"},
                         Row{{"plan", "example:gpt3-175b", "--set", "assert=mfu > 0.9"}, 5, "assertions"}})
    CHECK(page_of(row.args, "", row.status).contains(row.has));
}

TEST_CASE("every command and every flag of help --format json is taken") {
  const Json commands = Json::parse(ran({"help", "--format", "json"}).out).at("commands");
  for (const Json& command : commands) {
    const std::string name = command.at("name");
    for (const Json& flag : command.at("flags")) {
      const std::string what = flag.at("name");
      const std::string said = ran({name, "a", what + "x"}).err;
      CHECK_MESSAGE(holds(said, "unknown flag '" + what + "x'"), said);
      CHECK_MESSAGE(holds(said, "did you mean"), said);
    }
  }
}
