// The documents that scripts depend on: every command's JSON against a schema, key by key.
#include <doctest/doctest.h>

#include "planner/plan/results.h"
#include "tests/cli/commands/tune_shapes.h"
#include "tests/cli/contract_shape.h"
#include "tests/cli/harness.h"
#include "tests/cli/json_schema.h"
#include "tests/dsl/folder.h"
#include "tests/planner/trace/data_parallel.h"

namespace {

using nlohmann::json;

const char* const kClosed = R"(model: {use: gpt3-1.3b}
job: {sequence: 2048, global_batch: 64, tokens: 1e10}
cluster: {use: dgx-a100-80gb, gpus: 8}
software: {use: megatron-core}
parallelism: {tp: 2, zero: 1}
)";

const char* const kOpen = R"(model: {use: gpt3-1.3b}
job: {sequence: 2048, global_batch: 64, tokens: 1e10}
cluster: {use: dgx-a100-80gb, gpus: 8}
parallelism: {tp: [2, 3], dp: cluster.gpus / tp, recompute: [none, full], sequence_parallel: true}
goal: {minimize: usd}
)";

constexpr const char* kPlan = R"({
  "format": "=trainplan.plan/1", "scenario": "object", "parameters": "number", "active_parameters": "number",
  "feasible": "boolean",
  "violations": [{"rule": "string", "message": "string"}],
  "step": ["?", {"seconds": "number", "low_seconds": "number", "high_seconds": "number"}],
  "accuracy": {"generation": "string", "kind": "string", "width": "integer", "runs": "integer", "own_runs": "integer",
               "shift": "number", "relative_error": "number"},
  "provenance": ["?", {"measured": "number", "interpolated": "number", "extrapolated": "number", "datasheet": "number",
                       "assumed": "number"}],
  "stages?": [{"stage": "integer", "forward_seconds": "number", "backward_seconds": "number",
               "weight_gradient_seconds": "number", "wait_seconds": "number"}],
  "unwritten?": [{"field": "string", "value": "string",
                  "alternatives": [{"value": "string", "feasible": "boolean", "step_seconds": "number",
                                    "peak_bytes": "number"}]}],
  "breakdown": ["?", {"forward": "number", "backward": "number", "recompute": "number", "optimizer": "number",
                      "serialized_comm": "number", "exposed_comm": "number", "bubble": "number", "overhead": "number"}],
  "communication": [{"name": "string", "kind": "string", "ranks": "integer", "tiers": ["string"], "bytes": "number",
                     "count": "integer", "seconds": "number", "hidden_seconds": "number", "exposed_seconds": "number"}],
  "throughput": ["?", {"tokens_per_second": "number", "tokens_per_second_per_gpu": "number",
                       "samples_per_second": "number", "model_flops_per_step": "number",
                       "model_tflops_per_gpu": "number", "mfu": "number", "mfu_full_attention": "number",
                       "hfu": "number", "peak_flops_per_gpu": "number", "peak_precision": "string"}],
  "memory": ["?", {"capacity_bytes": "number", "peak_bytes": "number", "allocated_bytes": "number",
                   "reserved_bytes": "number", "device_bytes": "number",
                   "fit": {"probability": "number", "verdict": "string"}, "host_capacity_bytes": "number",
                   "host_bytes": "number",
                   "stages": [{"stage": "integer", "weights": "number", "gradients": "number", "optimizer": "number",
                               "activations": "number", "temporary": "number", "fragmentation": "number",
                               "device_overhead": "number", "total": "number", "host": "number"}]}],
  "cost": ["?", {"gpus": "integer", "tokens": "integer?", "steps": "integer?", "days_ideal": "number?",
                 "goodput": "number", "days": "number?", "gpu_hours": "number?", "usd": "number?",
                 "usd_per_1e12_tokens": "number?", "kwh": "number?", "co2_kg": "number?", "checkpoint_interval_seconds": "number",
                 "expected_failures": "number?", "recovery_seconds": "number", "spare_gpus": "integer",
                 "usd_per_gpu_hour": "number?", "usd_power": "number?"}]})";

constexpr const char* kComm = R"({
  "format": "=trainplan.comm/1", "compute_flops": "number", "serialized_bytes": "number",
  "edge_flops_per_byte": "number?", "edge_order": "number", "slack_order": "number",
  "layers": [{"name": "string", "flops": "number", "overlapped_bytes": "number", "slack_flops_per_byte": "number"}],
  "serialized_fraction": "number", "serialized_share_of_step": "number",
  "critical_path_fraction": "number", "overlapped_over_hiding_compute": "number?",
  "overlapped_share_of_step": "number", "exposed_fraction": "number", "step_seconds": "number",
  "required_tp": "integer", "fitting_tp": "integer?",
  "classes": [{"class": "string", "tier": "string", "seconds": "number", "serialized_seconds": "number",
               "hidden_seconds": "number", "exposed_seconds": "number", "share_of_step": "number"}],
  "communication": [{"name": "string", "class": "string", "kind": "string", "ranks": "integer", "tiers": ["string"],
                     "bytes": "number", "count": "integer", "seconds": "number", "hidden_seconds": "number",
                     "exposed_seconds": "number"}]})";

constexpr const char* kRegion = R"({
  "format": "=trainplan.comm/1", "compute_flops": "number", "serialized_bytes": "number",
  "edge_flops_per_byte": "number?", "edge_order": "number", "slack_order": "number",
  "layers": [{"name": "string", "flops": "number", "overlapped_bytes": "number", "slack_flops_per_byte": "number"}],
  "serialized_fraction": "any", "critical_path_fraction": "any", "overlapped_over_hiding_compute": "number?", "overlapped_share_of_step": "any",
  "exposed_fraction": "any", "communication": ["any"],
  "roi": {"layers": [{"name": "string", "compute_seconds": "number", "collective_bytes": "number",
                      "collective_seconds": "number", "overlapped_over_hiding_compute": "number?"}],
          "operators": "integer", "region_operators": "integer", "operator_seconds": "number",
          "region_seconds": "number", "gemm_flops": "number", "region_flops": "number", "saving": "number",
          "saving_operators": "number", "saving_seconds": "number"}})";

constexpr const char* kParallelism = R"({
  "tp": "integer", "pp": "integer", "cp": "integer", "ep": "integer", "etp": "integer", "dp": "integer",
  "interleave": "integer", "microbatch": "integer", "sequence_parallel": "boolean", "zero": "integer",
  "zero_group": "integer", "recompute": "string", "order": "string"})";

/// The columns of a costed candidate; of one that was not costed all are null.
json found_columns(bool costed) {
  json shape{{"parallelism", json::parse(kParallelism)}};
  if (!costed) shape["parallelism"] = json::array({"?", shape["parallelism"]});
  for (const char* name : {"global_batch", "microbatches"}) shape[name] = costed ? "integer" : "integer?";
  for (const planner::ResultRow& row : planner::column_figures()) {
    using Kind = planner::ResultRow::Kind;
    const std::string type = row.kind == Kind::count ? "integer" : "number";
    shape[row.about.column] = type + (costed && row.kind != Kind::optional ? "" : "?");
  }
  return shape;
}

/// The figures that a page's own rows lack.
void add_other_figures(json& row) {
  for (const planner::ResultRow& figure : planner::column_figures())
    if (!figure.about.of_space && !row.contains(figure.about.column)) row[figure.about.column] = "number?";
}

json search_shape() {
  json row = found_columns(true);
  row.update(json::parse(R"({"rank": "integer", "tied": "integer?", "choices": {"*": "any"}})"));
  json shape = json::parse(R"({
    "format": "=trainplan.search/1",
    "space": {"candidates": "integer", "evaluated": "integer", "feasible": "integer", "uncertain": "integer",
              "rejected": {"*": "integer"}, "opened": ["string"]},
    "best": {"ties": "integer", "less": ["string"]},
    "sensitivity?": [{"field": "string", "step_elasticity": "number", "usd_elasticity": "number?",
                      "headroom_fraction": "number?"}]})");
  shape["plans"] = json::array({row});
  shape["pareto?"] = json::array({row});
  return shape;
}

json with(json shape, const char* key, json value) {
  shape[key] = std::move(value);
  return shape;
}

/// Nothing is feasible: the candidate that comes closest, null where none was costed, and what refuses the others.
json refused_shape() {
  const json nearest = json::parse(R"({
    "choices": {"*": "any"}, "excess": "number?", "violations": [{"rule": "string", "message": "string"}],
    "overflow": ["?", {"stage": "integer", "bytes": "number", "more_bytes": "number", "component": "string",
                       "component_bytes": "number"}],
    "step_seconds": "number", "days": "number?", "usd": "number?",
    "change": ["?", {"set": {"*": "string"}, "gpus": "integer", "step_seconds": "number",
                     "more_step_seconds": "number", "days": "number?", "usd": "number?", "more_usd": "number?",
                     "of": "string", "fit_probability": "number"}],
    "other_changes": [{"set": {"*": "string"}, "gpus": "integer", "step_seconds": "number",
                       "more_step_seconds": "number", "days": "number?", "usd": "number?", "more_usd": "number?",
                       "of": "string", "fit_probability": "number"}]})");
  const json obstacle = json::parse(R"({
    "rule": "string", "candidates": "integer", "file": "string?", "line": "integer?", "column": "integer?",
    "message": "string", "example": {"*": "any"}})");
  return with(with(search_shape(), "nearest", json::array({"?", nearest})), "obstacles", json::array({obstacle}));
}

json explained_shape() {
  return json::parse(R"({
    "rank": "integer", "against": "integer", "seconds": "number", "usd": "number?",
    "parts": {"forward": "number", "backward": "number", "recompute": "number", "optimizer": "number",
              "serialized_comm": "number", "exposed_comm": "number", "bubble": "number", "overhead": "number"},
    "differences": [{"cause": "string", "a": "string", "b": "string", "seconds": "number", "usd": "number?"}],
    "turns": [{"field": "string", "below": "number?", "above": "number?"}]})");
}

json explain_shape() { return with(search_shape(), "explain", json::array({"?", explained_shape()})); }

/// The run that a search starts from, and the best plan against it.
json run_shape() { return with(explain_shape(), "run", search_shape()["plans"][0]); }

/// A layout in question: compared with the best plan, or with the rule that refuses it.
json why_shape() {
  json why = json::parse(R"({"layout": "string", "candidates": "integer", "feasible": "integer"})");
  why["reason?"] = "string";
  why["explain?"] = json::array({"?", explained_shape()});
  const json refused = refused_shape();
  why["nearest?"] = refused["nearest"];
  why["obstacles?"] = refused["obstacles"];
  return with(search_shape(), "why", why);
}

json solve_shape() {
  const json trial = json::parse(R"({
    "value": "number", "text": "string", "holds": "boolean", "left": "number?", "right": "number?",
    "layouts": "boolean", "feasible": "boolean", "choices": {"*": "any"}, "step_seconds": "number?", "mfu": "number?",
    "days": "number?", "usd": "number?"})");
  json solved = json::parse(R"({
    "field": "string", "until": "string", "outcome": "string", "value": "number?", "text": "string?",
    "start": "number", "evaluations": "integer", "exceptions": ["string"]})");
  solved["holds"] = solved["fails"] = json::array({"?", trial});
  solved["trials"] = json::array({trial});
  return with(search_shape(), "solve", std::move(solved));
}

/// What `partial` holds is between the versions of one program.
json shard_shape() {
  json shape = with(search_shape(), "partial", "object");
  for (const char* rows : {"plans", "pareto?"}) shape[rows][0]["partial"] = "object";
  return shape;
}

json sweep_shape() {
  json shape = found_columns(false);
  shape.update(json::parse(R"({"format": "=trainplan.sweep/1", "index": "integer", "choices": {"*": "any"},
                               "feasible": "boolean", "violations": ["string"]})"));
  return shape;
}

json compare_shape() {
  json shape = json::parse(R"({"format": "=trainplan.compare/1",
                               "differences": [{"cause": "string", "seconds": "number", "usd": "number?"}]})");
  shape["a"] = shape["b"] = json::parse(kPlan);
  return shape;
}

json roadmap_shape() {
  json cell = json::parse(R"({
    "step": "string", "model": "string?", "set": {"*": "any"}, "serialized_fraction": "number?",
    "overlapped_over_hiding_compute": "number?", "overlapped_share_of_step": "number?", "exposed_fraction": "number?",
    "memory_demand_over_capacity": "number?", "step_seconds": "number?", "mfu": "number?",
    "usd_per_1e12_tokens": "number?", "gpus": "integer?", "planned_gpus": "integer?", "choices": {"*": "any"},
    "low_seconds": "number?", "high_seconds": "number?", "assumed_share": "number?", "tokens_per_second": "number?",
    "days": "number?",
    "feasible": "boolean", "reason": "string?"})");
  cell["parallelism"] = json::array({"?", json::parse(kParallelism)});
  add_other_figures(cell);
  json shape = json::parse(R"({"format": "=trainplan.roadmap/1"})");
  shape["cells"] = json::array({cell});
  return shape;
}

json clusters_shape() {
  json row = json::parse(R"({
    "cluster": "string", "run": "boolean", "gpu": "string", "gpus": "integer", "days": "number?", "usd": "number?",
    "step_seconds": "number?", "mfu": "number?", "memory_share": "number?", "kwh": "number?",
    "assumed_share": "number?", "low_days": "number?", "high_days": "number?", "usd_per_gpu_hour": "number?", "contract": "string?", "price_date": "string?",
    "meets_deadline": "boolean?", "meets_budget": "boolean?", "feasible": "boolean", "reason": "string?",
    "evaluated": "integer", "choices": {"*": "string"}})");
  add_other_figures(row);
  row["parallelism"] = json::array({"?", json::parse(kParallelism)});
  json shape = json::parse(R"({"format": "=trainplan.clusters/1", "best": "integer?"})");
  shape["rows"] = json::array({row});
  return shape;
}

json export_shape() {
  return json::parse(R"({"format": "=trainplan.export/1", "target": "string", "text": "string",
                         "settings": [{"name": "string", "value": "string", "field": "string"}]})");
}

json plan_shape() { return json::parse(kPlan); }
json tune_shape() { return json::parse(kTune); }
json passes_shape() {
  json shape = tune_shape();
  shape.update(json::parse(kPasses));
  return shape;
}
json settings_shape() {
  json shape = tune_shape();
  shape.update(json::parse(kSettings));
  return shape;
}
json comm_shape() { return json::parse(kComm); }
json region_shape() { return json::parse(kRegion); }

/// A trace of one rank.
const std::string kRun =
    sample::data_parallel({.elements = {100, 200}, .kernel_us = {10, 20}, .bucket_ends = {1, 2}})[0].text();

/// A command on a scenario; what more it takes; how it ends. `lines`: a document a line.
struct Row {
  const char *command, *scenario;
  std::vector<std::string> more;
  int status;
  json (*shape)();
  bool lines = false;
};

const Row kRows[] = {
    {"plan", kClosed, {}, 0, plan_shape},
    {"plan", kClosed, {"--set", "job.tokens=null"}, 0, plan_shape},
    {"plan", kClosed, {"--set", "parallelism.tp=3"}, 3, plan_shape},
    {"plan", kOpen, {"--pick", "best", "--set", "goal.deadline=1 s"}, 3, plan_shape},
    {"comm", kClosed, {}, 0, comm_shape},
    {"comm", kClosed, {"--set", "parallelism={tp: 1, dp: 1}", "--set", "cluster.gpus=1"}, 0, comm_shape},
    {"comm", kClosed, {"--roi"}, 0, region_shape},
    {"tune", kClosed, {}, 0, settings_shape},
    {"tune", kRun.c_str(), {}, 0, passes_shape},
    {"tune", kRun.c_str(), {"--strategy", "gradients"}, 0, passes_shape},
    {"search", kOpen, {"--set", "job.tokens=null", "--set", "goal.minimize=step"}, 0, search_shape},
    {"search", kOpen, {"--pareto", "days,usd", "--sensitivity", "--top", "2"}, 0, search_shape},
    {"search", kOpen, {"--set", "where=[step < 1 ns]"}, 3, refused_shape},
    {"search",
     kOpen,
     {"--set", "cluster.gpu.memory=10 GB", "--set", "job.tokens=null", "--set", "goal=null"},
     3,
     refused_shape},
    {"search", kOpen, {"--set", "parallelism.tp=[3, 5]"}, 3, refused_shape},  // none is costed
    {"search", kOpen, {"--explain", "1"}, 0, explain_shape},
    {"search", kOpen, {"--why", "tp=2"}, 0, why_shape},
    {"search", kOpen, {"--why", "tp=5"}, 0, why_shape},
    {"search", kOpen, {"--explain", "9"}, 0, explain_shape},
    {"search", kOpen, {"--solve", "cluster.gpus", "--until", "days < 0.6 d"}, 0, solve_shape},
    {"search", kClosed, {"--solve", "parallelism.zero", "--until", "mfu > 2"}, 3, solve_shape},
    {"search", kOpen, {"--shard", "1/2", "--pareto", "days,usd"}, 0, shard_shape},
    {"sweep", kOpen, {}, 0, sweep_shape, true},
    {"sweep", kOpen, {"--set", "where=[step < 1 ns]"}, 3, sweep_shape, true},
    {"roadmap", kClosed, {"--set", "roadmap=[flop-vs-bw, {name: odd, set: {tp: 3}}]"}, 0, roadmap_shape},
    {"roadmap", kOpen, {"--set", "roadmap={name: small, set: {cluster.gpu.memory: 4 GB}}"}, 3, roadmap_shape},
    {"clusters", kOpen, {"--on", "dgx-a100-80gb,dgx-h100"}, 0, clusters_shape},
    {"clusters", kClosed, {"--set", "job.tokens=null", "--set", "cluster.price=null"}, 0, clusters_shape},
    {"clusters", kClosed, {"--set", "cluster.gpu.memory=4 GB", "--set", "goal.budget=1 USD"}, 3, clusters_shape},
    {"export", kClosed, {"--to", "megatron"}, 0, export_shape},
    {"export", kClosed, {"--to", "nemo"}, 0, export_shape},
};

std::vector<std::string> documents(const std::string& text, bool lines) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; lines && std::getline(in, line);) out.push_back(line);
  if (!lines) out.push_back(text);
  return out;
}

}  // namespace

TEST_CASE("a search from a run has the run and what is better beside its rows") {
  TestFolder folder;
  const Ran r = ran({"search", "--from", folder.add("run.yaml", kClosed), "--quiet", "--format", "json"});
  CHECK_MESSAGE(r.status == 0, r.err);
  CHECK(schema_error(schema_of_shape(run_shape()), json::parse(r.out)) == "");
}

TEST_CASE("each command's JSON has the keys and types of the contract, no others") {
  for (const Row& row : kRows) {
    std::vector<std::string> args{row.command, "-", "--quiet", "--format", row.lines ? "ndjson" : "json"};
    args.insert(args.end(), row.more.begin(), row.more.end());
    const Ran r = ran(args, row.scenario);
    INFO(row.command, " ", json(row.more).dump(), "\n", r.err);
    CHECK(r.status == row.status);
    const json schema = schema_of_shape(row.shape());
    const std::vector<std::string> all = documents(r.out, row.lines);
    CHECK(!all.empty());
    for (const std::string& one : all) CHECK(schema_error(schema, json::parse(one)) == "");
    CHECK(!has_nan(r.out));
  }
}

TEST_CASE("merge's JSON is that of a search, without what the shards add") {
  TestFolder folder;
  std::vector<std::string> args{"merge", "--format", "json"};
  for (const char* shard : {"1/2", "2/2"}) {
    const Ran r = ran({"search", "-", "--quiet", "--format", "json", "--pareto", "days,usd", "--shard", shard}, kOpen);
    args.push_back(folder.add("shard-" + std::to_string(args.size()) + ".json", r.out));
  }
  const Ran r = ran(args);
  CHECK_MESSAGE(r.status == 0, r.err);
  CHECK(schema_error(schema_of_shape(search_shape()), json::parse(r.out)) == "");
  CHECK(!has_nan(r.out));
}

TEST_CASE("compare's JSON holds both plans and the differences") {
  TestFolder folder;
  const std::string a = folder.add("a.yaml", kClosed);
  const json schema = schema_of_shape(compare_shape());
  for (const auto& [set, status] : {std::pair{"2", 0}, {"3", 3}}) {
    std::string b = kClosed;
    b.replace(b.find("tp: 2"), 5, std::string("tp: ") + set + ", recompute: full");
    const Ran r = ran({"compare", a, "-", "--quiet", "--format", "json"}, b);
    CHECK_MESSAGE(r.status == status, r.err);
    CHECK(schema_error(schema, json::parse(r.out)) == "");
  }
}

TEST_CASE("a schema tells a missing key, another key and a wrong type") {
  const json schema = schema_of_shape(json::parse(
      R"({"a": "integer", "b?": "number?", "c": [{"d": "string"}], "e": ["?", {"f": "boolean"}], "g": "=word"})"));
  const char* const good = R"({"a": 1, "b": null, "c": [{"d": "x"}], "e": {"f": true}, "g": "word"})";
  CHECK(schema_error(schema, json::parse(good)) == "");
  CHECK(schema_error(schema, json::parse(R"({"a": 1, "c": [], "e": null, "g": "word"})")) == "");
  const struct {
    const char *key, *value, *says;
  } wrong[] = {{"a", "1.5", ".a: expected"},      {"a", "\"1\"", ".a: expected"}, {"b", "\"1\"", ".b: expected"},
               {"c", "[{}]", ".c[].d: missing"},  {"c", "{}", ".c: expected"},    {"e", "{}", ".e: none of"},
               {"g", "\"other\"", ".g: none of"}, {"h", "1", ".h: unknown key"}};
  for (const auto& w : wrong) {
    json value = json::parse(good);
    value[w.key] = json::parse(w.value);
    CHECK(schema_error(schema, value).starts_with(w.says));
  }
  json without = json::parse(good);
  without.erase("a");
  CHECK(schema_error(schema, without) == ".a: missing");
}
