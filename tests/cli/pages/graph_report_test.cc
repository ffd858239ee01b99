// ops --graph and ops --dump through the command line.
#include "cli/pages/graph_report.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/sample_files.h"

using Json = nlohmann::ordered_json;

namespace {

TEST_CASE("ops --graph prints a path of each pass that is no longer than the pass") {
  const Json json = Json::parse(ran({"ops", "-", "--graph", "--format", "json"}, kSmallJob).out);
  CHECK(json["format"] == "trainplan.ops-graph/1");
  REQUIRE(!json["passes"].empty());
  for (const auto& pass : json["passes"]) {
    double along = 0;
    for (const auto& row : json["path"])
      if (row["layer"] == pass["layer"] && row["pass"] == pass["pass"]) along += row["seconds"].get<double>();
    CHECK(along == doctest::Approx(pass["path_seconds"].get<double>()));
    CHECK(pass["path_seconds"].get<double>() <= pass["seconds"].get<double>() * (1 + 1e-12));
    CHECK(pass["parallelism"].get<double>() >= 1 - 1e-12);
  }
}

TEST_CASE("ops --graph --format dot joins operators of a block") {
  const Ran r = ran({"ops", "-", "--graph", "--format", "dot"}, kSmallJob);
  CHECK(r.status == 0);
  CHECK(r.out.starts_with("digraph step {\n"));
  CHECK(r.out.find("n1_0 -> n1_") != std::string::npos);
  CHECK(r.out.ends_with("}\n}\n"));
}

TEST_CASE("ops --dump prints the step as text") {
  for (const char* what : {"blocks", "workload", "costed"}) {
    const Ran r = ran({"ops", "-", "--dump", what}, kSmallJob);
    CHECK(r.status == 0);
    CHECK(r.out.find("block layer layer") != std::string::npos);
    CHECK((r.out.find(" | seconds=") != std::string::npos) == (std::string(what) == "costed"));
  }
}

TEST_CASE("--graph, --dump and --format dot with what does not go with them are wrong usage") {
  const std::vector<std::vector<std::string>> wrong{{"--graph", "--group", "kind"},
                                                    {"--graph", "--dump", "blocks"},
                                                    {"--graph", "--format", "svg"},
                                                    {"--format", "dot"},
                                                    {"--dump", "blocks", "--format", "json"},
                                                    {"--dump", "blocks", "--top", "3"},
                                                    {"--dump", "rows"},
                                                    {"--graph", "--format", "dot", "--top", "3"}};
  for (const auto& flags : wrong) {
    std::vector<std::string> args{"ops", "-"};
    args.insert(args.end(), flags.begin(), flags.end());
    const Ran r = ran(args, kSmallJob);
    CHECK_MESSAGE(r.status == 2, flags.back());
    CHECK(r.out.empty());
  }
}

}  // namespace
