// `trainplan replay` over files of several formats: execution traces alone and beside events, profiles of Nsight.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/sample_files.h"
#include "tests/dsl/folder.h"
#include "tests/planner/trace/execution_text.h"
#include "tests/planner/trace/nsight_text.h"
#include "tests/planner/unpack/deflated.h"

using Json = nlohmann::ordered_json;
using Schema = sample::NodesText::Schema;
using Words = std::vector<std::string>;

namespace {

/// Events of what `sample::training` runs, without its backward pass.
std::string events(int rank, int64_t process) {
  sample::KinetoText text(R"("distributedInfo": {"rank": )" + std::to_string(rank) + R"(, "world_size": 2}, )");
  const auto op = [&](const char* name, const char* start, const char* duration) {
    text.event("cpu_op", name, process, "501", start, duration);
  };
  op("aten::ones", "1", "10");
  op("aten::empty", "2", "5");
  op("aten::linear", "20", "10");
  op("aten::mm", "21", "8");
  return text.kernel("gemm", 7, 40, 5).kernel("ncclAll(x)", 9, 50, 5).text();
}

struct Run : TestFolder {
  Run() {
    for (const int rank : {0, 1}) {
      const std::string number = std::to_string(rank);
      kineto.push_back(add("kineto" + number + ".json", events(rank, 200 + rank)));
      nodes.push_back(add("et" + number + ".json", sample::training(Schema::members, 200 + rank).text()));
    }
  }
  Words kineto, nodes;
};

Ran replay(Words args, const Words& more = {"--format", "json"}) {
  args.insert(args.begin(), "replay");
  args.insert(args.end(), more.begin(), more.end());
  return ran(args);
}

}  // namespace

TEST_CASE("execution traces beside events are joined by their processes, in whatever order files stand") {
  const Run run;
  const Ran r = replay({run.nodes[1], run.kineto[0], run.kineto[1], run.nodes[0]});
  REQUIRE_MESSAGE(r.status == 0, r.err);
  CHECK_MESSAGE(r.err.empty(), r.err);
  const Json doc = Json::parse(r.out);
  CHECK(doc["format"] == "trainplan.replay/1");
  REQUIRE(doc["execution_traces"].size() == 2);
  for (const int rank : {0, 1}) {
    const Json& row = doc["execution_traces"][rank];
    CHECK(row["rank"] == rank);
    CHECK(row["file"] == run.nodes[rank]);
    CHECK(row["nodes"] == 5);
    CHECK(row["operators"] == 4);
    CHECK(row["joined"] == 4);
    CHECK(row["share"] == 0.8);
    CHECK(row["tensor_dependencies"] == 2);
    CHECK(row["backward_dependencies"] == 0);
    CHECK(row["contradicted"] == 0);
  }
  const Ran page = replay({run.kineto[0], run.kineto[1], run.nodes[0]}, {});
  CHECK_MESSAGE(page.status == 0, page.err);
  CHECK_MESSAGE(holds(page.out, "Execution traces\n"), page.out);
  CHECK_MESSAGE(holds(page.out, "80.0 %"), page.out);
}

TEST_CASE("execution traces of other processes are joined by their order, which is told") {
  const Run run;
  const std::string first = run.add("other0.json", sample::training(Schema::attributes, 7).text());
  const std::string second = run.add("other1.json", sample::training(Schema::attributes, 8).text());
  const Ran r = replay({run.kineto[0], run.kineto[1], first, second});
  CHECK(r.status == 0);
  CHECK_MESSAGE(holds(r.err, "'" + first + "' is taken as of the rank of '" + run.kineto[0] + "', by their order"),
                r.err);
  CHECK(Json::parse(r.out)["execution_traces"][1]["file"] == second);
  const Ran one = replay({run.kineto[0], run.kineto[1], first});
  CHECK(one.status == 1);
  CHECK_MESSAGE(holds(one.err, "no events are of the process of '" + first + "'"), one.err);
  CHECK(replay({run.kineto[0], run.nodes[0], run.nodes[0]}).status == 1);
}

TEST_CASE("an execution trace of another program is told") {
  const Run run;
  sample::NodesText other(Schema::members, 200);
  other.node({.id = 1, .parent = 1, .name = "aten::mm"});
  for (int i = 2; i < 6; ++i) other.node({.id = i, .parent = 1, .name = "aten::other"});
  const Ran r = replay({run.kineto[0], run.add("b.json", other.text())});
  CHECK(r.status == 0);
  CHECK_MESSAGE(holds(r.err, "warning: of 5 nodes of '"), r.err);
  CHECK_MESSAGE(holds(r.err, "' only 1 are operators of '"), r.err);
}

TEST_CASE("execution traces alone are counted, of any format") {
  const Run run;
  const std::string chakra = run.add("chakra.json", R"({"workload_graph": [{"Id": 1, "Name": "a", "NodeType": 4,
    "ctrlDeps": [9], "data_deps": [2], "runtime": 5}, {"Id": 2, "Name": "b", "NodeType": 7, "comm_type": 0}]})");
  const std::string packed = run.add("et.json.gz", gzipped(sample::training(Schema::attributes).text()));
  const Ran r = replay({run.nodes[0], packed, chakra});
  REQUIRE_MESSAGE(r.status == 0, r.err);
  const Json files = Json::parse(r.out)["files"];
  CHECK(files[0]["schema"] == "1.0.1");
  CHECK(files[1]["schema"] == "1.1.0-chakra.0.0.4");
  for (const int i : {0, 1}) {
    CHECK(files[i]["nodes"] == 8);
    CHECK(files[i]["dependencies"] == 7);
    CHECK(files[i]["tensor_dependencies"] == 3);
    CHECK(files[i]["missing"] == 0);
  }
  CHECK(files[2]["dependencies"] == 2);
  CHECK(files[2]["missing"] == 1);
  CHECK(files[2]["collectives"] == 1);
}

TEST_CASE("an execution trace that is broken is an error, or what is broken is left out and told") {
  const Run run;
  const std::string path = run.add(
      "b.json", sample::NodesText().raw(R"({"id": 1, "name": "a", "parent": 1})").raw(R"({"name": "b"})").text());
  const Ran refused = replay({path});
  CHECK(refused.status == 1);
  CHECK_MESSAGE(holds(refused.err, "cannot read '" + path + "': node 2 (byte "), refused.err);
  const Ran left = replay({path}, {"--skip-broken", "--format", "json"});
  CHECK(left.status == 0);
  CHECK_MESSAGE(holds(left.err, "warning: cannot read '" + path + "': node 2 (byte "), left.err);
  CHECK(Json::parse(left.out)["files"][0]["nodes"] == 1);
}

TEST_CASE("a profile of Nsight is replayed, packed or not") {
  const TestFolder folder;
  const std::string thread = std::to_string(sample::kNsightThread);
  const std::string bytes = sample::database(
      sample::kNsightTables + ("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1000, 2000, " + thread +
                               ", 1, 3); INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (5000, 9000, 2, 7, 1, " +
                               std::to_string(int64_t{100} << 24) + ", 1);"));
  for (const std::string& path : {folder.add("a.sqlite", bytes), folder.add("a.sqlite.gz", gzipped(bytes))}) {
    const Ran r = replay({path});
    REQUIRE_MESSAGE(r.status == 0, r.err);
    const Json doc = Json::parse(r.out);
    CHECK(doc["ranks"][0]["compute_seconds"].get<double>() == doctest::Approx(4e-6));
    CHECK(doc["ranks"][0]["measured_seconds"].get<double>() == doctest::Approx(8e-6));
    CHECK(doc["ranks"][0]["replayed_seconds"].get<double>() == doctest::Approx(8e-6));
    CHECK(doc["streams"][0]["device"] == 2);
  }
  const Ran cut = replay({folder.add("cut.sqlite", bytes.substr(0, 700))});
  CHECK(cut.status == 1);
  CHECK_MESSAGE(holds(cut.err, "error: cannot read '"), cut.err);
}

TEST_CASE("a profile of two processes is two ranks, each with its execution trace") {
  const TestFolder folder;
  std::string rows;
  for (const int64_t process : {100, 101}) {
    const std::string thread = std::to_string((process << 24) + 7), global = std::to_string(process << 24);
    rows += "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1000, 2000, " + thread +
            ", 1, 3); INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (5000, 9000, " + std::to_string(process - 100) +
            ", 7, 1, " + global + ", 2); INSERT INTO NVTX_EVENTS VALUES (100, 900, 59, 'aten::mm', " + thread +
            ", NULL);";
  }
  const std::string profile = folder.add("both.sqlite", sample::database(sample::kNsightTables + rows));
  const std::string nodes = folder.add("et.json", sample::training(Schema::members, 101).text());
  const Ran r = replay({profile, nodes});
  REQUIRE_MESSAGE(r.status == 0, r.err);
  CHECK_MESSAGE(holds(r.err, "'" + profile + " (process 101)' does not say its rank: it is taken as rank 1"), r.err);
  const Json doc = Json::parse(r.out);
  CHECK(doc["ranks"].size() == 2);
  CHECK(doc["collectives"][0]["ranks"] == 2);
  REQUIRE(doc["execution_traces"].size() == 1);
  CHECK(doc["execution_traces"][0]["rank"] == 1);
  CHECK(doc["execution_traces"][0]["joined"] == 1);
}

TEST_CASE("dependencies that measured times contradict are counted") {
  const Run run;
  sample::NodesText swapped(Schema::members, 200);  // the product needs what `linear` gives, which runs around it
  swapped.node({.id = 1, .parent = 1, .name = "root"});
  swapped.node({.id = 2, .parent = 1, .name = "aten::linear", .outputs = R"([[5, 6, 0, 1, 4, "cpu"]])"});
  swapped.node({.id = 3, .parent = 1, .name = "aten::mm", .inputs = R"([[5, 6, 0, 1, 4, "cpu"]])"});
  const Ran r = replay({run.kineto[0], run.add("swapped.json", swapped.text())});
  REQUIRE_MESSAGE(r.status == 0, r.err);
  const Json row = Json::parse(r.out)["execution_traces"][0];
  CHECK(row["joined"] == 2);
  CHECK(row["tensor_dependencies"] == 1);
  CHECK(row["contradicted"] == 1);
  CHECK(row["data_edges"].is_number_integer());
}
