// `trainplan replay ET... --on MACHINE`: execution traces whose operators have shapes, predicted.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/sample_files.h"
#include "tests/dsl/folder.h"
#include "tests/planner/trace/execution_text.h"

using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

namespace {

const std::string kTensor = R"([5, 6, 0, 1000000, 4, "cuda:0"])";

/// Events of two operators of a rank, the second of which reduces over all ranks.
std::string events(int rank, const char* kernel = "relu", const char* collective = "nccl:all_reduce") {
  sample::KinetoText text = sample::ranked(rank, 2);
  text.event("cpu_op", "aten::relu", 100, "1", "10", "100");
  text.kernel(kernel, 7, 50, 5);
  text.event("cpu_op", collective, 100, "1", "200", "50");
  return text.kernel("ncclKernel", 20, 240, 5).text();
}

/// The nodes of both.
std::string nodes(const char* collective = "nccl:all_reduce") {
  std::string text =
      sample::NodesText()
          .node({.id = 1, .parent = 1, .name = "[pytorch|profiler|execution_graph|thread]", .scope = 7})
          .node({.id = 2,
                 .parent = 1,
                 .name = "aten::relu",
                 .inputs = "[" + kTensor + "]",
                 .outputs = "[" + kTensor + "]",
                 .shapes = "[[1000000]]"})
          .node({.id = 3, .parent = 1, .name = collective, .inputs = "[" + kTensor + "]", .shapes = "[[1000000]]"})
          .text();
  const std::string untyped = R"("input_types": [])";
  for (size_t at = 0; (at = text.find(untyped, at)) != std::string::npos; ++at)
    text.replace(at, untyped.size(), "\"input_types\": [\"Tensor(float)\"]");
  return text;
}

struct Run : TestFolder {
  Run() {
    const std::string events0 = add("kineto0.json", events(0)), events1 = add("kineto1.json", events(1));
    for (const char* name : {"et0.json", "et1.json"}) et.push_back(add(name, nodes()));
    times = (path / "times.csv").string();
    REQUIRE(ran({"replay", events0, events1, "--write-times", times}).status == 0);
    looking = (path / "looking.csv").string();
    for (const char* name : {"tables0.json", "tables1.json"}) tables.push_back(add(name, nodes("nccl:all_to_all")));
    const std::string lookups = add("lookups.json", events(0, "split_embedding_forward", "nccl:all_to_all"));
    REQUIRE(ran({"replay", lookups, "--write-times", looking}).status == 0);
  }
  Ran predicted(const Words& more) const { return predicted(et, more); }
  static Ran predicted(const Words& files, const Words& more) {
    Words args{"replay", files[0], files[1], "--on", "dgx-1", "--format", "json"};
    args.insert(args.end(), more.begin(), more.end());
    return ran(args);
  }
  Words et, tables;            // whose ranks reduce, and exchange
  std::string times, looking;  // of operators that launch a relu, and a lookup
};

}  // namespace

TEST_CASE("execution traces with shapes are predicted as a trace that might have been measured") {
  Run run;
  const Ran r =
      run.predicted({"--times", run.times, "--begins", run.add("begins.csv", "rank,begin_seconds\n0,0\n1,0.002\n")});
  REQUIRE_MESSAGE(r.status == 0, r.err);
  const Json doc = Json::parse(r.out);
  REQUIRE(doc["ranks"].size() == 2);
  CHECK(doc["ranks"][0]["measured_seconds"].get<double>() - doc["ranks"][1]["measured_seconds"].get<double>() ==
        doctest::Approx(0.002));
  CHECK(doc["ranks"][0]["waiting_for_ranks_seconds"].get<double>() == doctest::Approx(0.002));
  REQUIRE(doc["waits"].size() == 1);
  CHECK(doc["waits"][0]["for_rank"] == 1);
  CHECK(doc["collectives"][0]["bytes"] == 4000000);
}

TEST_CASE("what is changed of a prediction is changed as of a measured trace") {
  Run run;
  const Json doc = Json::parse(run.predicted({"--times", run.times, "--host-speed", "2"}).out);
  for (const Json& rank : doc["ranks"]) CHECK(rank["changed_seconds"] < rank["measured_seconds"]);
}

TEST_CASE("without times of hosts a step is what devices and the network take, and that is told") {
  const Run run;
  const Ran r = run.predicted({});
  REQUIRE_MESSAGE(r.status == 0, r.err);
  CHECK_MESSAGE(holds(r.err, "warning: without --times hosts take no time"), r.err);
  const Json bare = Json::parse(r.out), with = Json::parse(run.predicted({"--times", run.times}).out);
  CHECK(bare["ranks"][0]["measured_seconds"] < with["ranks"][0]["measured_seconds"]);
  CHECK(bare["ranks"][0]["measured_seconds"] > 0);
}

TEST_CASE("tables that are placed otherwise change lookups and what the ranks exchange of them") {
  Run run;
  const auto placed = [](const std::string& seconds, const std::string& bytes) {
    return R"({"best": "b", "sharders": [{"name": "a"}, {"name": "b", "lookup_seconds_per_rank": )" + seconds +
           R"(, "message_bytes": )" + bytes + "}]}";
  };
  const auto with = [&](const std::string& text) {
    return Run::predicted(run.tables, {"--times", run.looking, "--tables", run.add("placed.json", text)});
  };
  const Ran r = with(placed("[0.001, 0.003]", "8000"));
  REQUIRE_MESSAGE(r.status == 0, r.err);
  const Json doc = Json::parse(r.out);
  CHECK(doc["ranks"][0]["compute_seconds"].get<double>() == doctest::Approx(0.001));
  CHECK(doc["ranks"][1]["compute_seconds"].get<double>() == doctest::Approx(0.003));
  struct Row {
    std::string text, message;
  };
  for (const Row& row : std::vector<Row>{
           {"[]", "placed.json:1:1: error: expected placements of tables"},
           {R"({"best": "c", "sharders": []})", "error: no sharder is called 'c'"},
           {placed("[0.001]", "1"), "error: the tables are on 1 ranks, and there are execution traces of 2"},
           {placed("[0.001, -1]", "1"), "error: expected seconds from 0 to 1000"},
           {placed("[0.001, 1]", "-1"), "error: expected bytes from 0 to 1e18"},
           {"{", "placed.json:1:"}}) {
    const Ran wrong = with(row.text);
    CHECK(wrong.status == 1);
    CHECK_MESSAGE(holds(wrong.err, row.message), wrong.err);
  }
  const Ran none = run.predicted({"--times", run.times, "--tables", run.add("p.json", placed("[0, 0]", "1"))});
  CHECK_MESSAGE(holds(none.err, "error: no kernel looks up in tables of several ranks"), none.err);
  const Ran reduces =
      run.predicted({"--times", run.looking, "--tables", run.add("p.json", placed("[0.001, 0]", "8000"))});
  CHECK_MESSAGE(holds(reduces.err, "error: no all-to-all carries rows of embedding tables"), reduces.err);
}

TEST_CASE("bad input of a prediction is told with its file and cause") {
  Run run;
  const std::string old = run.add("old.csv", "kind,begin,end,before,after,count,mean_ns\ncall,,,,a,1,5\n");
  const std::string bare = run.add("bare.json", R"({"schema": "1.0.1", "nodes": [
    {"id": 2, "name": "aten::relu", "parent": 2, "tid": 1, "inputs": [], "input_shapes": [[]], "outputs": []}]})");
  struct Row {
    Words args;
    std::string message;
  };
  const Words two{run.et[0], run.et[1], "--on", "dgx-1", "--times", run.times};
  const auto with = [&](const Words& more) {
    Words all = two;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  for (const Row& row : std::vector<Row>{
           {{run.et[0], "--on", "dgx-1", "--times", old}, "error: --times: the files have no rows of kind 'span'"},
           {with({"--begins", run.add("a.csv", "rank,begin\n0,0\n")}), "a.csv:1:1: error: no column 'begin_seconds'"},
           {with({"--begins", run.add("b.csv", "rank,begin_seconds\n0,0\n")}), "b.csv:1:1: error: no row of rank 1"},
           {with({"--begins", run.add("c.csv", "rank,begin_seconds\n2,0\n")}),
            "c.csv:2:1: error: expected a rank of 0 to 1, got '2'"},
           {with({"--begins", run.add("d.csv", "rank,begin_seconds\n0,-1\n")}),
            "d.csv:2:3: error: expected seconds, a day at most, got '-1'"},
           {with({"--begins", run.add("e.csv", "rank,begin_seconds\n0,0\n1,0\n0,1\n")}),
            "e.csv:4:1: error: rank 0 has two rows\n"},
           {{run.et[0], bare, "--on", "dgx-1"}, "error: '" + bare + "' has no shapes of its operators' inputs"},
           {with({"--batch", "8"}), "error: --batch: '" + run.et[0] + "' has no layer that says its batch"},
           {with({"--ranks", "1"}), "error: --ranks 1: there are execution traces of 2"},
           {{run.et[0], "--begins", "x.csv"}, "error: --begins works with predicted ranks alone"},
           {{run.et[0], "--tables", "x.json"}, "error: --tables works with predicted ranks alone"},
           {{run.et[0], "--batch", "4"}, "error: --batch works with predicted ranks alone"},
           {{bare, "--on", "dgx-1"},
            "error: 1 nodes compute, and none says how long it takes or the shapes of its inputs"}}) {
    Words args{"replay"};
    args.insert(args.end(), row.args.begin(), row.args.end());
    const Ran r = ran(args);
    CHECK(r.status == 1);
    CHECK_MESSAGE(holds(r.err, row.message), r.err);
  }
}

TEST_CASE("tensors of all ranks' batches are those of as many ranks as --ranks says") {
  TestFolder folder;
  std::string text = sample::NodesText()
                         .node({.id = 1, .parent = 1, .name = "[pytorch|profiler|execution_graph|thread]", .scope = 7})
                         .node({.id = 2,
                                .parent = 1,
                                .name = "aten::linear",
                                .inputs = R"([[1, 1, 0, 64, 4, "cuda:0"], [2, 2, 0, 8, 4, "cuda:0"]])",
                                .shapes = "[[16, 4], [2, 4]]"})
                         .node({.id = 3,
                                .parent = 1,
                                .name = "nccl:all_reduce",
                                .inputs = R"([[5, 5, 0, 640, 4, "cuda:0"]])",
                                .shapes = "[[64, 10]]"})
                         .text();
  const std::string untyped = R"("input_types": [])";
  for (size_t at = 0; (at = text.find(untyped, at)) != std::string::npos; ++at)
    text.replace(at, untyped.size(), "\"input_types\": [\"Tensor(float)\"]");
  const std::string first = folder.add("a.json", text), second = folder.add("b.json", text);
  const auto bytes = [&](const Words& more) {
    Words args{"replay", first, second, "--on", "dgx-1", "--batch", "32", "--format", "json"};
    args.insert(args.end(), more.begin(), more.end());
    const Ran r = ran(args);
    REQUIRE_MESSAGE(r.status == 0, r.err);
    return Json::parse(r.out)["collectives"][0]["bytes"].get<int64_t>();
  };
  CHECK(bytes({}) == 2560);
  CHECK(bytes({"--ranks", "4"}) == 5120);
}
