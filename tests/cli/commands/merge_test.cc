// `trainplan merge`: shards of a search against the search.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/mangled.h"
#include "tests/cli/sample_files.h"
#include "tests/dsl/folder.h"

using Json = nlohmann::ordered_json;
using Args = std::vector<std::string>;

namespace {

const char* const kOpen = R"(
model: {use: gpt3-1.3b}
job: {sequence: 2048, global_batch: 64, tokens: 1e10}
cluster: {use: dgx-a100-80gb, gpus: [8, 16], gpu: {memory: [24 GB, 80 GB]}}
parallelism:
  tp: [1, 2, 3]
  pp: [1, 2]
  dp: cluster.gpus / (tp * pp)
  microbatch: pow2(1, pp)
  recompute: [none, full]
software: {use: megatron-core}
goal: {minimize: usd}
)";

Args with(Args args, const Args& more) {
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

Ran searched(const Args& more, const char* scenario = kOpen) { return ran(with({"search", "-"}, more), scenario); }

/// Files of all shards, the last first.
Args shards(const TestFolder& folder, int count, const Args& more, const char* scenario = kOpen) {
  Args files;
  for (int i = count; i > 0; --i) {
    const std::string shard = std::to_string(i) + "/" + std::to_string(count);
    const Ran r = searched(with({"--format", "json", "--shard", shard}, more), scenario);
    CHECK(r.status != 1);
    files.push_back(folder.add("shard-" + std::to_string(i) + ".json", r.out));
  }
  return files;
}

}  // namespace

TEST_CASE("merge prints what one search prints, in every format") {
  const struct {
    Args more, formats;
  } rows[] = {
      {{"--top", "3", "--pareto", "days,usd,memory.headroom,hfu,goodput,serialized_comm"},
       {"table", "json", "ndjson", "csv", "md"}},
      {{"--set", "goal={minimize: gpus, deadline: 40 d}"}, {"json"}},                  // ties: equal numbers
      {{"--set", "where=[step < 1 s]"}, {"table", "json"}},                            // nothing is feasible
      {{"--set", "cluster.gpu.memory=[2 GB, 4 GB]"}, {"table", "json", "csv", "md"}},  // the nearest miss is named
      {{"--set", "cluster.gpus=37"}, {"table", "json"}},                               // and another batch
      {{"--set", "cluster.gpus=[8, 37, 41]"}, {"table", "json"}},                      // or how it is asked for
      {{"--set", "assert=[mfu > 0.99]"}, {"table", "json"}},
      {{"--set", "cluster.use=hgx-h20"}, {"table", "json"}},  // a goal without a price
  };
  for (const auto& row : rows) {
    TestFolder folder;
    const Args files = shards(folder, 2, row.more);
    for (const std::string& format : row.formats) {
      const Ran merged = ran(with({"merge", "--format", format}, files)),
                whole = searched(with({"--format", format}, row.more));
      CHECK(merged.out == whole.out);
      CHECK(merged.status == whole.status);
      CHECK(merged.err == whole.err);
    }
  }
}

TEST_CASE("merge seeks other batches where it is asked to, as a search does") {
  const TestFolder folder;
  const Args numbers{"--set", "cluster.gpus=[8, 37, 41]"};
  const Args files = shards(folder, 3, numbers);
  const Ran merged = ran(with({"merge", "--other-batches"}, files));
  CHECK(merged.out == searched(with(numbers, {"--other-batches"})).out);
  CHECK(holds(merged.out, "37 GPUs: no layout divides the batch; with batch "));
  CHECK_FALSE(holds(ran(with({"merge"}, files)).out, "no layout divides"));
}

TEST_CASE("a shard that finds nothing has done its part; the whole says that nothing is feasible") {
  const TestFolder folder;
  const Args none{"--set", "where=[step < 1 ns]"};
  CHECK(searched(with({"--format", "json", "--shard", "1/2"}, none)).status == 0);
  CHECK(searched(with({"--format", "json", "--shard", "900000/1000000"}, {})).status == 0);  // no part of the space
  CHECK(searched(none).status == 3);
  CHECK(ran(with({"merge"}, shards(folder, 2, none))).status == 3);
}

TEST_CASE("merge --missing names the shards that are to be searched again") {
  const TestFolder folder;
  Args files = shards(folder, 7, {});
  CHECK(ran(with({"merge", "--missing"}, files)).out == "");
  std::erase_if(files, [](const std::string& file) { return holds(file, "-2.") || holds(file, "-5."); });
  CHECK(ran(with({"merge", "--missing"}, files)).out == "2,5\n");
  files.back() = folder.add("shard-1.json", "{\"format\"");  // was cut
  files.push_back(folder.name() + "/shard-6b.json");         // is none
  const Ran r = ran(with({"merge", "--missing"}, files));
  CHECK(r.status == 0);
  CHECK(r.out == "1-2,5\n");
  CHECK(holds(r.err, "shard-1.json:1:"));
  CHECK(holds(r.err, "warning: cannot read '"));
  const Json j = Json::parse(ran(with({"merge", "--missing", "--format", "json"}, files)).out);
  CHECK(j == Json({{"format", "trainplan.missing/1"}, {"shards", 7}, {"missing", {1, 2, 5}}, {"list", "1-2,5"}}));
  CHECK(ran({"merge", "--missing", files.back()}).status == 1);  // of how many?
}

TEST_CASE("merge keeps fewer plans than the shards where --top says so, and no more") {
  TestFolder folder;
  const Args files = shards(folder, 2, {"--top", "5"});
  CHECK(ran(with({"merge", "--top", "2", "--format", "json"}, files)).out ==
        searched({"--top", "2", "--format", "json"}).out);
  const Ran more = ran(with({"merge", "--top", "6"}, files));
  CHECK(more.status == 2);
  CHECK(more.err == "trainplan merge: --top 6, but the shards were made with --top 5\n");
}

TEST_CASE("one shard of one is a search, and can be merged") {
  TestFolder folder;
  CHECK(ran(with({"merge"}, shards(folder, 1, {}))).out == searched({}).out);
}

TEST_CASE("only JSON of a shard carries what a merge needs") {
  const Json whole = Json::parse(searched({"--format", "json"}).out),
             shard = Json::parse(searched({"--format", "json", "--shard", "1/2"}).out);
  CHECK(!whole.contains("partial"));
  CHECK(!whole["plans"][0].contains("partial"));
  CHECK(shard["partial"]["shard"] == 1);
  CHECK(shard["partial"]["shards"] == 2);
  CHECK(shard["partial"]["unfinished"].is_null());
  CHECK(shard["plans"][0]["partial"].contains("objective"));
  CHECK(!holds(searched({"--format", "csv", "--shard", "1/2"}).out, "partial"));
}

TEST_CASE("merge: shards that are no whole") {
  TestFolder folder;
  const Args files = shards(folder, 4, {});
  const std::string other =
      folder.add("other.json", searched({"--format", "json", "--shard", "1/4", "--set", "job.sequence=1024"}).out);
  const std::string top = folder.add("top.json", searched({"--format", "json", "--shard", "1/4", "--top", "3"}).out);
  const std::string axes =
      folder.add("axes.json", searched({"--format", "json", "--shard", "1/4", "--pareto", "days,usd"}).out);
  const std::string fifth = folder.add("fifth.json", searched({"--format", "json", "--shard", "1/5"}).out);
  const std::string whole = folder.add("whole.json", searched({"--format", "json"}).out);
  const struct {
    Args files;
    const char* says;
  } rows[] = {
      {{files[0], files[2]}, "error: 2 of 4 shards are missing: 1, 3\n"},
      {{files[0], files[1], files[2]}, "error: 1 of 4 shards is missing: 1\n"},
      {{files[0], files[1], files[2], files[2]}, "error: shard 2 of 4 is in '"},
      {{files[0], other}, "are not of the same search"},
      {{files[0], top}, "error: made with --top 3, and '"},
      {{files[0], axes}, "error: made with --pareto days,usd, and '"},
      {{files[0], fifth}, "error: one of 5 shards, and '"},
      {{whole}, "whole.json:1:1: error: this search is complete"},
      {{folder.name() + "/none.json"}, "no such file"},
  };
  for (const auto& row : rows) {
    const Ran r = ran(with({"merge"}, row.files));
    CHECK(r.status == 1);
    CHECK(r.out == "");
    CHECK_MESSAGE(holds(r.err, row.says), r.err);
  }
  CHECK(holds(ran({"merge", other, files[0], "--format", "json"}).out, "trainplan.diagnostics/1"));
}

TEST_CASE("merge: a file that is no shard, or was changed, is told at its place") {
  const std::string good = searched({"--format", "json", "--shard", "1/1"}).out;
  const struct {
    const char *from, *to, *says;
  } rows[] = {
      {"{", "", "shard.json:"},  // not JSON
      {"trainplan.search/1", "trainplan.plan/1",
       "shard.json:2:13: error: expected a result of `trainplan search`, got 'trainplan.plan/1'"},
      {"\"candidates\": ", "\"candidates\": -", "expected a whole number from 0 for 'candidates'"},
      {"\"candidates\": ", "\"candidate\": ", "expected a member 'candidates' here"},
      {"\"step_seconds\": ", "\"step_seconds\": \"1 s\", \"was\": ", "expected a number for 'step_seconds'"},
      {"\"recompute\": \"none\"", "\"recompute\": \"some\"", "no recompute policy is called 'some'"},
      {"\"cluster.gpus\": 8", "\"cluster.gpu\": 8", "these are not the choices that 'partial' names"},
      {"\"gemm\": ", "\"gem\": ", "no kind of operator is called 'gem'"},
      {"\"shard\": 1", "\"shard\": 2", "there is no shard 2 of 1"},
      {"\"timed\": true", "\"timed\": 1", "expected true or false for 'timed'"},
      {"\"objective\": ", "\"objective\": null, \"was\": ", "expected a number for 'objective'"},
      {"\"rejected\": {", "\"rejected\": 3, \"was\": {", "expected an object for 'rejected'"},
      {"\"plans\": [", "\"plans\": 3, \"was\": [", "expected a list for 'plans'"},
      {"\"digest\": ", "\"digest\": 3, \"was\": ", "expected a text for 'digest'"},
  };
  TestFolder folder;
  for (const auto& row : rows) {
    std::string text = good;
    const size_t at = text.find(row.from);
    REQUIRE_MESSAGE(at != std::string::npos, row.from);
    text.replace(at, std::string(row.from).size(), row.to);
    const Ran r = ran({"merge", folder.add("shard.json", text)});
    CHECK(r.status == 1);
    CHECK_MESSAGE(holds(r.err, row.says), r.err);
  }
  for (const char* text : {"", "[]", "3", "{}", "tp: 1\n", "{\"format\": 3}"})
    CHECK(ran({"merge", folder.add("shard.json", text)}).status == 1);
  CHECK(holds(ran({"merge", "-"}, "").err, "redirected"));
}

TEST_CASE("merge: a member that is gone or of another kind ends in a message or a result") {
  TestFolder folder;
  const Ran shard = searched({"--format", "json", "--top", "1", "--shard", "1/1"});
  size_t refused = 0;
  for (const std::string& text : mangled(Json::parse(shard.out))) {
    INFO(text);
    const Ran r = ran({"merge", folder.add("wrong.json", text)});
    if (r.status == 1) CHECK_MESSAGE(holds(r.err, "error: "), r.err);
    refused += r.status == 1;
  }
  CHECK(refused > 100);
}

TEST_CASE("merge: a shard that says what no search finds is refused, by name") {
  const std::string good = searched({"--format", "json", "--shard", "1/1", "--pareto", "days,usd"}).out;
  const auto changed = [&](auto change) {
    Json shard = Json::parse(good);
    change(shard);
    return shard.dump();
  };
  const struct {
    std::string text;
    const char* says;
  } rows[] = {
      {changed([](Json& s) { s["space"]["candidates"] = 999; }), "candidates are neither feasible nor rejected"},
      {changed([](Json& s) { s["space"]["candidates"] = INT64_MAX; }), "expected 1000000000000000 at most"},
      {changed([](Json& s) { s["space"]["rejected"]["memory"] = INT64_MAX; }),
       "are feasible or rejected than there are"},
      {changed([](Json& s) { s["space"]["evaluated"] = 99999; }), "more candidates were costed than there are"},
      {changed([](Json& s) { s["space"]["feasible"] = s["space"]["candidates"]; }), "are feasible than were costed"},
      {changed([](Json& s) { s["plans"][0]["step_seconds"] = -1.5; }), "no plan has a step_seconds of -1.5"},
      {changed([](Json& s) { s["plans"][1]["mfu"] = 7; }), "no plan has a mfu of 7"},
      {changed([](Json& s) { s["plans"][1]["partial"]["goodput"] = -1; }), "no plan has a goodput of -1"},
      {changed([](Json& s) { s["plans"][0]["low_seconds"] = 1e9; }), "the step is outside its own interval"},
      {changed([](Json& s) { s["plans"].erase(0); }), "9 rows, where "},
      {changed([](Json& s) { s["plans"][1] = s["plans"][0]; }), "this row is there twice"},
      {changed([](Json& s) { s["pareto"].push_back(s["pareto"][0]); }), "this row is there twice"},
      {changed([](Json& s) { s["pareto"].erase(0); }), "the file is not as it was printed"},
      {changed([](Json& s) { s["plans"][0]["usd"] = 1; }), "the file is not as it was printed"},
      {changed([](Json& s) { s["partial"]["feasible_gpus"].push_back(4096); }), "the file is not as it was printed"},
      {changed([](Json& s) { s["partial"]["shards"] = 2, s["plans"][0]["partial"]["part"] = 1; }),
       "the file is not as it was printed"},
      {changed([](Json& s) { s["partial"]["shards"] = 1000001; }), "expected 1000000 shards at most"},
      {changed([](Json& s) { s["partial"].erase("content"); }), "expected a member 'content' here"},
  };
  TestFolder folder;
  for (const auto& row : rows) {
    const Ran r = ran({"merge", folder.add("shard.json", row.text)});
    CHECK(r.status == 1);
    CHECK(r.err.find("shard.json:1:") != std::string::npos);
    CHECK_MESSAGE(holds(r.err, row.says), r.err);
  }
}

TEST_CASE("merge: the layout of the JSON and the order of the rows are nobody's mistake") {
  TestFolder folder;
  const std::string good = searched({"--format", "json", "--shard", "1/1"}).out;
  const std::string sorted = searched({"--format", "json", "--shard", "1/1", "--sort", "mfu"}).out;
  const std::string whole = searched({"--format", "json"}).out;
  for (const std::string& text : {Json::parse(good).dump(), Json::parse(good).dump(8), sorted})
    CHECK(ran({"merge", "--format", "json", folder.add("shard.json", text)}).out == whole);
}

TEST_CASE("a shard with --explain holds the rows that it was made with") {
  TestFolder folder;
  const Args files = shards(folder, 2, {"--top", "2", "--explain", "3"});
  CHECK(ran(with({"merge", "--format", "json", "--top", "2"}, files)).out ==
        searched({"--format", "json", "--top", "2"}).out);
}

TEST_CASE("a space has at most a million shards") {
  CHECK(searched({"--shard", "1000000/1000000"}).status == 0);
  const Ran r = searched({"--shard", "1/1000001"});
  CHECK(r.status == 2);
  CHECK(holds(r.err, "--shard: 1000000 parts at most, got '1/1000001'"));
}

TEST_CASE("a shard has no scaling efficiency to rank by, and says what does the same") {
  for (const char* set : {"goal={minimize: null, maximize: scaling_efficiency}", "where=[scaling_efficiency > 0.5]"}) {
    const Ran r = searched({"--shard", "1/2", "--set", set});
    CHECK(r.status == 1);
    CHECK(holds(r.err, "--set:1:"));
    CHECK(holds(r.err, "which no shard knows"));
  }
  CHECK(searched({"--shard", "1/2", "--pareto", "scaling_efficiency"}).status == 1);
  CHECK(searched({"--shard", "1/1", "--pareto", "scaling_efficiency"}).status == 0);
}
