// `trainplan clusters`: machines side by side.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tests/cli/harness.h"
#include "tests/cli/svg/xml.h"

using Json = nlohmann::ordered_json;

namespace {

std::string question(const std::string& cluster, const std::string& goal = "{minimize: usd}") {
  return "model: {use: llama3-8b}\njob: {sequence: 8192, global_batch: 256, tokens: 1e12}\ncluster: {use: " + cluster +
         "}\ngoal: " + goal + "\n";
}

Json json(std::vector<std::string> args, const std::string& text, int status = 0) {
  args.insert(args.begin(), {"clusters", "-"});
  args.insert(args.end(), {"--format", "json"});
  const Ran r = ran(args, text);
  REQUIRE_MESSAGE(r.status == status, r.err);
  CHECK_FALSE(has_nan(r.out));
  return Json::parse(r.out);
}

}  // namespace

TEST_CASE("clusters: a row for each machine and number of GPUs, the plan that search finds there") {
  const Json doc = json({}, question("[dgx-h100, dgx-b200], gpus: [64, 128]"));
  REQUIRE(doc["rows"].size() == 4);
  size_t at = 0;
  for (const char* cluster : {"dgx-h100", "dgx-b200"})
    for (const int gpus : {64, 128}) {
      const Json& row = doc["rows"][at++];
      CHECK(row["cluster"] == cluster);
      CHECK(row["gpus"] == gpus);
      const std::string alone = question(std::string(cluster) + ", gpus: " + std::to_string(gpus));
      const Json found = Json::parse(ran({"search", "-", "--top", "1", "--format", "json"}, alone).out);
      CHECK(row["usd"] == found["plans"][0]["usd"]);
      CHECK(row["days"] == found["plans"][0]["days"]);
      CHECK(row["low_days"] < row["days"]);
      CHECK(row["high_days"] > row["days"]);
      CHECK(row["meets_deadline"].is_null());
    }
  const auto usd = [&](size_t i) { return doc["rows"][i]["usd"].get<double>(); };
  for (size_t i = 0; i < 4; ++i) CHECK(usd(doc["best"].get<size_t>()) <= usd(i));
}

TEST_CASE("clusters: deadline and budget refuse nothing, and decide what is best") {
  const std::string goal = "{minimize: usd, deadline: 25 d, budget: 1e6 USD}";
  const Json doc = json({}, question("[dgx-h100, dgx-b200], gpus: [64, 256]", goal));
  for (const Json& row : doc["rows"]) {
    CHECK(row["feasible"] == true);
    CHECK(row["meets_deadline"] == (row["days"].get<double>() <= 25));
    CHECK(row["meets_budget"] == (row["usd"].get<double>() <= 1e6));
  }
  CHECK(doc["rows"][doc["best"].get<size_t>()]["meets_deadline"] == true);
  const Json late = json({}, question("dgx-h100, gpus: 8", "{deadline: 1 d}"), 3);
  CHECK(late["best"].is_null());
  CHECK(late["rows"][0]["meets_deadline"] == false);
}

TEST_CASE("clusters: --on names machines; what has no price, and what fits nowhere, is said") {
  const Json doc = json({"--on", "dgx-h100,mi355x-oam"}, question("dgx-h100, gpus: 64"));
  REQUIRE(doc["rows"].size() == 2);
  CHECK(doc["rows"][1]["cluster"] == "mi355x-oam");
  CHECK(doc["rows"][1]["usd"].is_null());
  const Ran page = ran({"clusters", "-", "--on", "mi355x-oam"}, question("dgx-h100, gpus: 64"), 160);
  CHECK(page.out.find("no price is known of mi355x-oam") != std::string::npos);
  const Ran none = ran({"clusters", "-", "--set", "model.use=llama3.1-405b"}, question("dgx-h100, gpus: 8"), 160);
  CHECK(none.status == 3);
  CHECK(none.out.find("none fits: memory") != std::string::npos);
}

TEST_CASE("clusters: --on takes patterns of names, and names the row that misses the goal least") {
  const Json all = json({"--on", "rtx-4090-8x,hgx-h20*"}, question("dgx-h100, gpus: 64"));
  std::vector<std::string> names;
  for (const Json& row : all["rows"]) names.push_back(row["cluster"]);
  CHECK(names == std::vector<std::string>{"rtx-4090-8x", "hgx-h20", "hgx-h20-141gb"});
  const Ran none = ran({"clusters", "-", "--on", "dgx-z*"}, question("dgx-h100, gpus: 64"));
  CHECK(none.status == 1);
  CHECK(none.err.find("no cluster of the catalogue is named 'dgx-z*'") != std::string::npos);
  const Ran late =
      ran({"clusters", "-", "--set", "goal.deadline=1 s"}, question("[dgx-h100, dgx-b200], gpus: 64"), 160);
  CHECK(late.status == 3);
  CHECK_MESSAGE(late.out.find("nearest: dgx-b200 with 64 GPUs, ") != std::string::npos, late.out);
}

TEST_CASE("clusters: other entries of the catalogue are alternatives too") {
  const Json doc =
      json({}, question("[dgx-h100, dgx-b200], gpus: 64") + "software: {use: [megatron-core, torchtitan-compile]}\n");
  REQUIRE(doc["rows"].size() == 4);
  CHECK(doc["rows"][1]["cluster"] == "dgx-h100, torchtitan-compile");
  CHECK(doc["rows"][1]["parallelism"]["zero"].get<int>() >= 2);
}

TEST_CASE("clusters: mistakes stand where they are made") {
  const Ran unknown = ran({"clusters", "-"}, question("[dgx-h100, dgx-b2000], gpus: 64"));
  CHECK(unknown.status == 1);
  CHECK_MESSAGE(unknown.err.find("<stdin>:3:27: error") != std::string::npos, unknown.err);
  CHECK(unknown.err.find("dgx-b200") != std::string::npos);
  CHECK(ran({"clusters", "-"}, question("[], gpus: 64")).status == 1);
  CHECK(ran({"clusters", "-"}, question("[{a: 1}], gpus: 64")).status == 1);
  const Ran follows =
      ran({"clusters", "-"}, question("dgx-h100, gpus: 'tp * [8, 16]'") + "parallelism: {tp: [1, 2]}\n");
  CHECK(follows.status == 1);
}

TEST_CASE("clusters as a picture has a point for each row") {
  const Ran r = ran({"clusters", "-", "--format", "svg"}, question("[dgx-h100, dgx-b200], gpus: [64, 128]"));
  REQUIRE(r.status == 0);
  CHECK(r.out.find("dgx-b200, 128") != std::string::npos);
}

TEST_CASE("the best of what the scenario leaves open besides is a column of the page") {
  const Ran r = ran({"clusters", "-", "--set", "job.global_batch=[128, 256]"}, question("dgx-h100, gpus: 32"));
  CHECK(r.status == 0);
  CHECK(r.out.find("global_batch") != std::string::npos);
  const Ran closed = ran({"clusters", "-"}, question("dgx-h100, gpus: 32"));
  CHECK(closed.out.find("global_batch") == std::string::npos);
}

TEST_CASE("the page says of a machine that cannot be planned why, below the rows of the others") {
  const std::string text = question("[dgx-1, dgx-h100], gpus: 64") + "software: {attention: te}\n";
  const Ran page = ran({"clusters", "-"}, text);
  CHECK_MESSAGE(page.err == "", page.err);
  CHECK(page.status == 0);
  CHECK_MESSAGE(page.out.find("dgx-1 cannot be planned: no attention kernel 'te'") != std::string::npos, page.out);
  const Json rows = Json::parse(ran({"clusters", "-", "--format", "json"}, text).out).at("rows");
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].at("gpus").is_null());
  CHECK(rows[0].at("feasible") == false);
  CHECK(rows[0].at("reason").get<std::string>().find("no attention kernel") == 0);
  CHECK(rows[1].at("feasible") == true);
}

namespace {

const char* const kSmall =
    "model: {use: bert-large}\njob: {sequence: 512, global_batch: 64, tokens: 1e9}\ncluster: {use: dgx-h100, gpus: 8}\n"
    "parallelism: {tp: 1}\n";

/// The machines of the rows that --on gives.
std::set<std::string> machines_on(const std::string& words) {
  std::set<std::string> names;
  const Json doc = json({"--on", words, "--quiet"}, kSmall);
  for (const Json& row : doc["rows"]) names.insert(row["cluster"]);
  return names;
}

}  // namespace

TEST_CASE("--on takes names, patterns, providers, vendors and product lines, each machine once") {
  CHECK(machines_on("azure") == std::set<std::string>{"azure-nc-h100-v5", "azure-ndv5"});
  CHECK(machines_on("oracle,oci-h100,dgx-b200") == std::set<std::string>{"oci-h100", "dgx-b200"});
  CHECK(machines_on("p6*") == std::set<std::string>{"p6-b200"});
  CHECK(machines_on("intel") == std::set<std::string>{"gaudi2-hls", "gaudi3-hls"});
  CHECK(machines_on("b300") == std::set<std::string>{"dgx-b300"});
  const std::set<std::string> aws = machines_on("aws");
  for (const char* name : {"p4d", "p5", "p6-b200", "trn2"}) CHECK_MESSAGE(aws.contains(name), name);
  CHECK(!aws.contains("dgx-h100"));
  CHECK(!aws.contains("rtx-pro-6000-8x"));  // extends a machine of AWS, and is rented elsewhere
  const Ran wrong = ran({"clusters", "-", "--on", "googel"}, kSmall);
  CHECK(wrong.status == 1);
  CHECK(wrong.err.find("hint: did you mean 'google'?") != std::string::npos);
}

TEST_CASE("clusters: kind and date of each price, and a line where kinds differ") {
  const std::string two = question("[dgx-h100, p5e], gpus: 64");
  const Json rows = json({}, two)["rows"];
  CHECK(rows[0]["contract"] == "on-demand");
  CHECK(rows[1]["contract"] == "reserved");
  CHECK(rows[0]["price_date"].is_string());
  const std::string page = ran({"clusters", "-", "--quiet"}, two, 160).out;
  CHECK_MESSAGE(page.find("prices of several kinds: ") != std::string::npos, page);
  const Json own = json({"--set", "cluster.price=2 USD/h"}, two)["rows"];
  CHECK(own[0]["contract"].is_null());
  CHECK(ran({"clusters", "-", "--quiet", "--set", "cluster.price=2 USD/h"}, two).out.find("several kinds") ==
        std::string::npos);
}

TEST_CASE("clusters --from: the run as it is written first, then every machine with its best layout") {
  const std::string run =
      "model: {use: llama3-8b}\njob: {sequence: 8192, global_batch: 256, tokens: 1e12}\n"
      "cluster: {use: dgx-a100-80gb, gpus: 64}\nsoftware: {use: megatron-core}\nparallelism: {tp: 8, pp: 2}\n";
  const Ran made = ran({"clusters", "--from", "-", "--on", "dgx-a100-80gb,dgx-h100", "--format", "json"}, run);
  REQUIRE_MESSAGE(made.status == 0, made.err);
  const Json rows = Json::parse(made.out)["rows"];
  REQUIRE(rows.size() == 3);
  CHECK(rows[0]["run"] == true);
  CHECK(rows[0]["cluster"] == "dgx-a100-80gb");
  CHECK(rows[0]["parallelism"]["tp"] == 8);
  const Json plan = Json::parse(ran({"plan", "-", "--format", "json", "--quiet"}, run).out);
  CHECK(rows[0]["step_seconds"] == plan["step"]["seconds"]);
  for (size_t i : {1u, 2u}) CHECK(rows[i]["run"] == false);
  CHECK(rows[1]["days"] < rows[0]["days"]);  // the same machine with another layout
  const std::string page = ran({"clusters", "--from", "-", "--on", "dgx-h100", "--quiet"}, run).out;
  CHECK(page.find("the run: dgx-a100-80gb") != std::string::npos);
  CHECK(page.find("--from RUN frees it") == std::string::npos);
  const std::string kept = ran({"clusters", "-", "--on", "dgx-h100,dgx-b200", "--quiet"}, run, 160).out;
  CHECK_MESSAGE(kept.find("all have the scenario's tp 8, pp 2 (--from RUN frees it)") != std::string::npos, kept);
  CHECK(ran({"clusters"}, run).status == 2);
  CHECK(ran({"clusters", "-", "--from", "-"}, run).status == 2);
}

TEST_CASE("clusters: a machine without a price neither meets a budget nor stops a change of prices") {
  const std::string two = question("[hgx-h20, dgx-h100], gpus: 64", "{minimize: days, budget: 5e6 USD}");
  const Json rows = json({}, two)["rows"];
  CHECK(rows[0]["usd"].is_null());
  CHECK(rows[0]["meets_budget"].is_null());
  CHECK(ran({"clusters", "-", "--quiet"}, two).out.find("has no price") != std::string::npos);
  const Ran cheaper = ran({"clusters", "-", "--set", "cluster.price*=0.8", "--format", "json"}, two);
  REQUIRE_MESSAGE(cheaper.status == 0, cheaper.err);
  const Json changed = Json::parse(cheaper.out)["rows"];
  CHECK(changed[0]["days"] == rows[0]["days"]);
  CHECK(changed[1]["usd"].get<double>() == doctest::Approx(0.8 * rows[1]["usd"].get<double>()));
  CHECK(cheaper.err.find("cluster.price has no value to change") != std::string::npos);
}
