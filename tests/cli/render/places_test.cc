// `check --format github` and `check --format sarif`.
#include <doctest/doctest.h>

#include "tests/cli/harness.h"
#include "tests/cli/sample_files.h"
#include "tests/dsl/folder.h"

namespace {

/// Two mistakes, in a file whose name and text hold what the formats escape.
struct WrongFile {
  TestFolder folder;
  std::string path =
      folder.add("a 100%.yaml", "model: {use: gpt3-175b}\njob: {sequnce: 2048, global_batch: \"1:2,3\"}\n");
};

}  // namespace

TEST_CASE("mistakes are workflow commands of GitHub, a line each") {
  const WrongFile wrong;
  const Ran r = ran({"check", wrong.path, "--format", "github"});
  CHECK(r.status == 1);
  CHECK_MESSAGE(
      holds(r.out, "a 100%25.yaml,line=2,col=7::unknown field 'job.sequnce'%0Ahint: did you mean 'sequence'?\n"),
      r.out);
  size_t lines = 0;
  for (size_t at = 0; (at = r.out.find('\n', at)) != std::string::npos; ++at) ++lines;
  size_t commands = 0;
  for (size_t at = 0; (at = r.out.find("::error file=", at)) != std::string::npos; ++at) ++commands;
  CHECK(lines == commands);
  CHECK(ran({"check", "example:gpt3-175b", "--format", "github"}).out == "");
}

TEST_CASE("mistakes are results of SARIF, with what its schema requires") {
  const WrongFile wrong;
  const Json page = Json::parse(ran({"check", wrong.path, "--format", "sarif"}).out);
  CHECK(page.at("version") == "2.1.0");
  REQUIRE(page.at("runs").size() == 1);
  const Json& run = page.at("runs")[0];
  CHECK(run.at("tool").at("driver").at("name") == "trainplan");
  const Json diagnostics = Json::parse(ran({"check", wrong.path, "--format", "json"}).out).at("diagnostics");
  REQUIRE(run.at("results").size() == diagnostics.size());
  for (size_t i = 0; i < diagnostics.size(); ++i) {
    const Json& result = run.at("results")[i];
    CHECK(result.at("level") == diagnostics[i].at("severity"));
    CHECK(result.at("message").at("text").get<std::string>().starts_with(
        diagnostics[i].at("message").get<std::string>()));
    const Json& place = result.at("locations")[0].at("physicalLocation");
    CHECK(place.at("artifactLocation").at("uri").get<std::string>().ends_with("a%20100%25.yaml"));
    CHECK(place.at("region").at("startLine") == diagnostics[i].at("line"));
    CHECK(place.at("region").at("startColumn") == diagnostics[i].at("column"));
  }
  CHECK(Json::parse(ran({"check", "example:gpt3-175b", "--format", "sarif"}).out).at("runs")[0].at("results").empty());
}

TEST_CASE("only check prints mistakes in these formats") {
  for (const char* format : {"github", "sarif"}) {
    const Ran r = ran({"plan", "example:gpt3-175b", "--format", format});
    CHECK(r.status == 2);
    CHECK_MESSAGE(holds(r.err, "there is no list of mistakes of plan; there is one of check"), r.err);
  }
}
