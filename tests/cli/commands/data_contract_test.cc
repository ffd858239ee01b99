// The documents of the commands that read measurements, key by key, and how they end: scale, seqpoint, replay and
// shard.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "tests/cli/contract_shape.h"
#include "tests/cli/harness.h"
#include "tests/cli/json_schema.h"
#include "tests/dsl/folder.h"

namespace {

using nlohmann::json;
using Flags = std::vector<std::string>;

constexpr const char* kScale = R"({
"format": "=trainplan.scale/1", "parameters": ["string"],
"models": [{"callpath": "string", "metric": "string", "formula": "string", "growth": "string", "constant": "number",
  "terms": [{"coefficient": "number", "factors": {"*": {"exponent": "number", "log2_exponent": "number"}}}],
  "segments": ["?", {"models": [{"constant": "number", "terms": ["object"]}], "change_points": ["number"]}],
  "smape": "number?", "ar2": "number?", "rss": "number?", "re": "number?", "variation": "number?",
  "points": ["number"],
  "evaluated": [{"point": ["number"], "measured": "number", "predicted": "number", "error": "number"}],
  "warnings": ["string"]}],
"analysis": {"parameter": "string",
  "subjects": [{"callpath": "string", "metric": "string", "scaling": "string", "base": "number",
    "points": [{"x": "number", "seconds": "number", "low_seconds": "number?", "high_seconds": "number?",
      "speedup_percent": "number", "efficiency_extradeep": "number", "speedup": "number",
      "parallel_efficiency": "number", "core_hours": "number", "gpu_hours": "number", "cost": "number"}],
    "best": {"valid": [["number"]], "x": "number?", "parameter": "string", "seconds": "number?", "cost": "number?",
      "parallel_efficiency": "number?"},
    "ratios": {"points_from": "string", "why": ["string"], "models": [{"of": "string", "formula": "string",
      "constant": "number", "terms": ["object"], "segments": ["?", {"models": ["object"], "change_points": ["number"]}],
      "smape": "number?", "ar2": "number?", "rss": "number?", "off_points": "number", "off_time": "number",
      "points": [{"x": "number", "fitted": "number", "from_time": "number", "own": "number?"}],
      "evaluated": [{"point": ["number"], "measured": "number", "predicted": "number", "error": "number?"}],
      "best": ["?", {"x": "number", "fitted": "number", "seconds?": "number"}]}]}}],
  "ranking": [{"callpath": "string", "metric": "string", "growth": "string", "speedup_percent": "number",
    "speedup_rank": "number"}]},
"advice?": [{"point": "any", "predicted": "number?", "reason": "string"}],
"against?": [{"x": "number", "measured_seconds": "number?", "empirical_seconds": "number",
  "analytical_seconds": "number?", "low_seconds": "number?", "high_seconds": "number?", "reason": "string?"}],
"rare": ["any"], "refused": ["string"]})";

constexpr const char* kSeqpoint = R"({
"format": "=trainplan.seqpoint/1", "iterations": "integer", "unique_lengths": "integer", "bins": "integer",
"points": [{"length": "integer", "weight": "integer", "seconds": "number", "shortest": "integer",
  "longest": "integer", "share": "number"}],
"actual_seconds": "number", "projected_seconds": "number", "error": "number", "saved_serial": "number",
"saved_parallel": "number",
"alternatives": [{"name": "string", "points": "integer", "error": "number", "projected_seconds": "number",
  "geomean_error": "number?", "lengths": ["integer"]}],
"threshold_met": "boolean", "left_over_sequences": "integer", "geomean_error": "number?",
"projections": [{"name": "string", "actual_seconds": "number", "speedup_actual": "number",
  "projected_seconds": "number", "error": "number", "speedup_projected": "number", "speedup_error": "number",
  "alternatives": [{"name": "string", "projected_seconds": "number", "error": "number", "speedup_projected": "number",
    "speedup_error": "number"}]}],
"chosen_by": "string", "truth": ["?", {"actual_seconds": "number", "projected_seconds": "number", "error": "number",
  "alternatives": [{"name": "string", "projected_seconds": "number", "error": "number"}]}],
"statistics": [{"name": "string", "actual": "number", "projected": "number", "error": "number?", "mean": "number",
  "alternatives": [{"name": "string", "projected": "number", "error": "number?"}]}]})";

constexpr const char* kReplay = R"({
"format": "=trainplan.replay/1",
"ranks": [{"rank": "integer", "step": "string", "measured_seconds": "number", "replayed_seconds": "number",
  "error": "number", "changed_seconds": "number?", "begin_seconds": "number", "slack_seconds": "number?", "device_seconds": "number",
  "busy_seconds": "number", "compute_seconds": "number", "communication_seconds": "number", "memory_seconds": "number",
  "overlaps_seconds": "number", "overlap_ratio": "number", "exposed_communication_seconds": "number",
  "waiting_for_ranks_seconds": "number", "idle_seconds": "number", "host_bound_seconds": "number",
  "device_gap_seconds": "number", "unexplained_seconds": "number", "step_of": "string"}],
"change": ["?", {"measured_seconds": "number", "changed_seconds": "number", "change": "number"}],
"advice": [{"what": "string", "flag": "string", "step_seconds": "number", "gain_seconds": "number",
  "change": "number"}],
"accounting": [{"part": "string", "seconds": "number", "share": "number", "longest_seconds": "number",
  "longest_rank": "integer?"}],
"launched": [{"rank": "integer", "step": "string", "device_seconds": "number", "busy_seconds": "number",
  "compute_seconds": "number", "communication_seconds": "number", "memory_seconds": "number",
  "overlap_ratio": "number", "exposed_communication_seconds": "number"}],
"clocks": [{"rank": "integer", "offset_seconds": "number", "drift_seconds": "number"}],
"unseen": [{"rank": "integer", "step": "string", "measured_seconds": "number", "predicted_seconds": "number",
  "error": "number", "others_mean_seconds": "number", "others_mean_error": "number",
  "largest_stream_seconds": "number", "largest_stream_error": "number"}],
"collectives": [{"index": "integer", "name": "string", "group": "string?", "ranks": "integer", "bytes": "integer?",
  "transfer_seconds": "number", "longest_wait_seconds": "number?", "last_rank": "integer?",
  "predicted_seconds": "number?", "predicted_ratio": "number?"}],
"collectives_by_name": [{"name": "string", "ranks": "integer?", "count": "integer", "bytes": "number?",
  "transfer_seconds": "number", "longest_wait_seconds": "number", "bus_bandwidth_bytes_per_second": "number?",
  "predicted_seconds": "number?"}],
"absent_ranks": "string?",
"waits": [{"rank": "integer", "for_rank": "integer", "seconds": "number"}],
"streams": [{"rank": "integer", "device": "integer", "stream": "integer", "events": "integer", "busy_seconds": "number",
  "sum_seconds": "number"}],
"critical_path": [{"rank": "integer", "kind": "string", "name": "string", "begin_seconds": "number",
  "seconds": "number"}],
"scaled": [{"work": "string", "basis": "string", "events": "integer", "seconds": "number", "share": "number",
   "changed_seconds": "number", "factor": "number"}],
 "execution_traces": [{"rank": "integer", "file": "string", "nodes": "integer", "operators": "integer",
  "joined": "integer", "share": "number", "shapes": "integer", "equal_shapes": "integer",
  "tensor_dependencies": "integer", "backward_dependencies": "integer", "contradicted": "integer",
  "data_edges": "integer"}],
"against": [{"work": "string", "kind": "string", "shape": ["?", {"*": "number"}], "names": "string?",
  "measured_count": "number?", "measured_seconds": "number?", "planned_count": "number?", "planned_seconds": "number?",
  "ratio": "number?"}],
"against_sums": [{"work": "string", "measured_count": "number?", "measured_seconds": "number?",
  "planned_count": "number?", "planned_seconds": "number?", "ratio": "number?"}]})";

constexpr const char* kExecution = R"({
"format": "=trainplan.execution/1",
"files": [{"file": "string", "schema": "string", "nodes": "integer", "compute": "integer", "memory": "integer",
  "collectives": "integer", "sends": "integer", "receives": "integer", "dependencies": "integer", "missing": "integer",
  "tensor_dependencies": "integer", "seconds": "number", "bytes": "integer"}],
"collectives": [{"name": "string", "nodes": "integer"}],
"executed": [{"rank": "integer", "end_seconds": "number"}]})";

constexpr const char* kDiagnostics = R"({"format": "=trainplan.diagnostics/1", "diagnostics": [
{"file": "string?", "line": "integer?", "column": "integer?", "severity": "string", "message": "string",
 "hint": "string?", "text": "string?"}]})";

constexpr const char* kNodes = R"({"schema": "1.0.1", "nodes": [{"id": 1, "name": "a", "parent": 1}]})";

constexpr const char* kTrace = R"({"distributedInfo": {"rank": 1, "world_size": 2}, "traceEvents": [
{"ph": "X", "cat": "cuda_runtime", "name": "launch", "pid": 7, "tid": 7, "ts": 1, "dur": 1, "args": {"correlation": 1}},
{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 3, "dur": 5, "args": {"correlation": 1}},
{"ph": "X", "cat": "kernel", "name": "ncclAll", "pid": 0, "tid": 9, "ts": 4, "dur": 5, "args": {"correlation": 2,
  "Collective name": "allreduce", "Process Group Name": "0", "Group size": 2, "dtype": "Float", "In msg nelems": 3}}
]})";

// A parameter server's of BytePS, as it leaves it.
constexpr const char* kServer = R"({"traceEvents": [
{"name": "push-9", "ph": "B", "pid": 7, "tid": 7, "ts": 1}, {"name": "push-9", "ph": "E", "pid": 7, "tid": 7, "ts": 2},
{"name": "pull-9", "ph": "B", "pid": 7, "tid": 7, "ts": 3}, {"name": "pull-9", "ph": "E", "pid": 7, "tid": 7, "ts": 4})";

// Of Chakra: the version "0.4", a collective of 8 bytes that does not say which it is.
const std::string kChakra = std::string("\x05\x0A\x03") + "0.4" +
                            "\x11\x18\x07\x52\x0D\x0A\x09"
                            "comm_size"
                            "\x48\x08";

constexpr const char* kScenario = R"(model: {use: megatron-1.7b}
job: {sequence: 2048, global_batch: 8, precision: fp16}
cluster: {use: dgx-a100-80gb, gpus: 8}
)";

// A table of CSV with the time of `law` at 2, 4, ... 128.
std::string table(double (*law)(double)) {
  std::ostringstream out;
  out << "p,time\n";
  for (double x = 2; x <= 128; x *= 2) out << x << ',' << law(x) << '\n';
  return out.str();
}
std::string grows() {
  return table([](double p) { return 40 + 3 * std::sqrt(p) * std::log2(p) + 0.2 * std::sin(p); });
}
std::string bends() {
  return table([](double p) { return p <= 16 ? p * p : 136 + 30 * std::log2(p); });
}
std::string times() {
  std::string text = "length,seconds\n";
  for (int i = 0; i < 60; ++i) text += std::to_string(5 + i % 12) + "," + std::to_string((5 + i % 12) * 0.01) + "\n";
  return text;
}
std::string lengths() {
  std::string text;
  for (int i = 0; i < 130; ++i) text += std::to_string(20 + i * 7919 % 13) + "\n";
  return text;
}

constexpr const char* kGiven = "parameters: p\npoints: [2, 4]\nmodels:\n  - {metric: time, model: 3 + 2 * p}\n";

constexpr const char* kShard = R"({
"format": "=trainplan.shard/1", "gpu": "string", "ranks": "integer", "tables": "integer", "table_bytes": "integer",
"batch": "integer", "bytes_per_value": "number", "message_bytes_per_value": "number", "memory_limit_bytes": "number",
"dense_seconds": "number", "lookup_provenance": "string",
"sharders": [{"name": "string", "how": "string", "step_seconds": "number", "fits": "boolean", "load": "number",
  "lookup_seconds": "number", "exchange_seconds": "number", "reduce_seconds": "number", "forward_seconds": "number",
  "backward_seconds": "number", "message_bytes": "number", "memory_bytes": "integer", "load_per_rank": ["number"],
  "lookup_seconds_per_rank": ["number"], "bytes_per_rank": ["integer"], "memory_bytes_per_rank": ["integer"],
  "placement": ["integer?"], "splits": [{"table": "integer", "split": "string", "ranks": ["integer"]}]}],
"best": "string", "feasible": "boolean"})";

constexpr const char* kTables = "rows,dim,pooling\n1000000,64,30\n50000,32,2\n200000,128,8\n3000,16,40\n";
const Flags kOnFour{"--on", "dgx-a100-80gb", "--ranks", "4", "--batch", "4096"};
const Flags kLittle{"--on", "dgx-a100-80gb", "--ranks", "4", "--batch", "4096", "--memory", "0.002", "--whole"};

/// A command on data (standard input), its flags and exit status, and the shape of what it prints. SCENARIO: a file.
struct Row {
  const char* command;
  std::string data;
  Flags flags;
  int status;
  const char* shape;
};

std::vector<Row> rows() {
  return {
      {"scale", grows(), {}, 0, kScale},
      {"scale", grows(), {"--plan", "--evaluate-from", "128", "--budget", "5", "--cores", "3"}, 0, kScale},
      {"scale", grows(), {"--at", "2,8", "--against", "SCENARIO", "--set", "job.global_batch=128"}, 0, kScale},
      {"scale", "p,time\n2,4\n4,8\n8,16\n", {"--plan"}, 0, kScale},
      {"scale", bends(), {"--modeler", "segmented"}, 0, kScale},
      {"scale", grows(), {"--modeler", "refining"}, 0, kScale},
      {"scale", kGiven, {}, 0, kScale},
      {"scale", grows(), {"--time-limit", "1 s"}, 3, kScale},        // no choice
      {"scale", "p,callpath,time\n4,a,2\n8,a,3\n", {}, 3, kScale},   // refused
      {"scale", "p,time\n2,4\n4,-8\n8,16\n", {}, 1, kDiagnostics},   // a mistake with its place
      {"scale", grows(), {"--callpath", "other"}, 1, kDiagnostics},  // and one without
      {"scale", grows(), {"--against", "/none.yaml"}, 1, kDiagnostics},
      {"seqpoint", times(), {}, 0, kSeqpoint},
      {"seqpoint", times(), {"--threshold", "0", "--warmup", "0"}, 0, kSeqpoint},
      {"seqpoint", lengths(), {"--scenario", "SCENARIO", "--on", "flop-vs-bw", "--order", "sorted"}, 0, kSeqpoint},
      {"seqpoint", "length,seconds\n4,0\n", {}, 1, kDiagnostics},
      {"seqpoint", lengths(), {"--scenario", "/none.yaml"}, 1, kDiagnostics},
      {"replay", kTrace, {}, 0, kReplay},
      {"replay", kTrace, {"--advice", "--all"}, 0, kReplay},
      {"replay", kServer, {"--no-stragglers"}, 0, kReplay},
      {"replay",
       kTrace,
       {"--scale-op", "gemm=0.5", "--host-speed", "2", "--no-stragglers", "--perfect-overlap"},
       0,
       kReplay},
      {"replay", kTrace, {"--from-machine", "dgx-1", "--on", "dgx-h100", "--ranks", "64"}, 0, kReplay},
      {"replay", kTrace, {"--against", "SCENARIO"}, 0, kReplay},
      {"replay", kTrace, {"--against", "/none.yaml"}, 1, kDiagnostics},
      {"replay", kTrace, {"--on", "dgx-h100"}, 1, kDiagnostics},
      {"replay", kTrace, {"--scale-op", "gemm@0=0.5"}, 1, kDiagnostics},
      {"replay", kTrace, {"--scale-op", "none=0.5"}, 1, kDiagnostics},
      {"replay", kTrace, {"--scale-op", "gemm"}, 1, kDiagnostics},
      {"replay", "{", {}, 1, kDiagnostics},
      {"replay", kChakra, {}, 0, kExecution},
      {"replay", kNodes, {}, 0, kExecution},
      {"replay", kChakra, {"--from-machine", "nowhere"}, 1, kDiagnostics},
      {"replay", R"({"nodes": []})", {}, 1, kDiagnostics},
      {"seqpoint", "length,seconds,kernels,idle\n4,1,9,0\n8,2,9,0\n", {"--statistic", "kernels,idle"}, 0, kSeqpoint},
      {"seqpoint",
       "4\n8\n12\n4\n8\n12\n9\n7\n",
       {"--scenario", "SCENARIO", "--truth-set", "operator_models.gemm=wave"},
       0,
       kSeqpoint},
      {"seqpoint", "length,seconds\n4,1\n", {"--statistic", "flops"}, 1, kDiagnostics},
      {"shard", kTables, kOnFour, 0, kShard},
      {"shard", kTables, kLittle, 3, kShard},  // one table is larger than what a rank has
      {"shard", "rows,dim,pooling\n0,1,1\n", kOnFour, 1, kDiagnostics},
  };
}

std::string scenario_in(const TestFolder& folder) { return folder.add("scenario.yaml", kScenario); }

const char* first_columns(const Row& row) {
  const std::string command = row.command;
  if (command == "scale") return "callpath,metric,";
  if (row.shape == kExecution) return "file,schema,nodes,";
  if (row.shape == kShard) return "name,how,step_seconds,";
  return command == "seqpoint" ? "length,weight,seconds," : "rank,step,measured_seconds,";
}

Ran ran_row(const Row& row, const char* format, const std::string& scenario) {
  Flags args{row.command, "-", "--quiet", "--format", format};
  for (const std::string& flag : row.flags) args.push_back(flag == "SCENARIO" ? scenario : flag);
  return ran(args, row.data);
}

}  // namespace

TEST_CASE("the JSON of scale, seqpoint and replay has the keys and types of the contract, no others") {
  const TestFolder folder;
  const std::string scenario = scenario_in(folder);
  for (const Row& row : rows()) {
    const Ran r = ran_row(row, "json", scenario);
    INFO(row.command, " ", json(row.flags).dump(), "\n", r.err);
    CHECK(r.status == row.status);
    const json schema = schema_of_shape(json::parse(row.shape));
    CHECK(schema_error(schema, json::parse(r.out)) == "");
    CHECK_FALSE(has_nan(r.out));
  }
}

TEST_CASE("lines of scale, seqpoint and replay each name their format, and CSV has a heading for each cell") {
  for (const Row& row : rows()) {
    if (row.status != 0 || std::ranges::count(row.flags, "SCENARIO") > 0) continue;
    INFO(row.command, " ", json(row.flags).dump());
    std::istringstream lines(ran_row(row, "ndjson", "").out);
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count)
      CHECK("=" + json::parse(line)["format"].get<std::string>() == json::parse(row.shape)["format"]);
    CHECK(count > 0);
    const std::string csv = ran_row(row, "csv", "").out;
    CHECK(csv.starts_with(first_columns(row)));
  }
}

TEST_CASE("scale, seqpoint and replay: wrong usage is status 2, one line, and no document") {
  struct Wrong {
    const char* command;
    Flags flags;
  };
  for (const Wrong& w :
       {Wrong{"scale", {}}, Wrong{"scale", {"-", "--no-such-flag"}}, Wrong{"scale", {"-", "--modeler", "other"}},
        Wrong{"replay", {}}, Wrong{"seqpoint", {}}, Wrong{"seqpoint", {"-", "--order", "other"}},
        Wrong{"seqpoint", {"-", "--picture", "other"}}}) {
    Flags args{w.command, "--format", "json"};
    args.insert(args.end(), w.flags.begin(), w.flags.end());
    const Ran r = ran(args, std::string(w.command) == "scale" ? grows() : times());
    INFO(json(args).dump());
    CHECK(r.status == 2);
    CHECK(r.out.empty());
    CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
  }
}

TEST_CASE("the shapes of scale, seqpoint and replay see a key that is missing") {
  for (const Row& row : {rows().front(), rows()[12]}) {
    json document = json::parse(ran_row(row, "json", "").out);
    const json schema = schema_of_shape(json::parse(row.shape));
    CHECK(schema_error(schema, document) == "");
    for (auto it = document.begin(); it != document.end(); ++it) {
      json without = document;
      without.erase(it.key());
      CHECK(schema_error(schema, without) == "." + it.key() + ": missing");
    }
  }
}
