// The study section of a scenario: cases, measures, expectations, verdicts.
#include "planner/studies/published/study.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <set>

#include "planner/plan/ops.h"
#include "tests/dsl/folder.h"
#include "tests/planner/sample.h"
#include "tests/planner/studies/published/study_sample.h"

namespace {

namespace fs = std::filesystem;
using planner::StudyRow;
using sample::study_text;
using sample::StudyRun;

/// The one row of a study with this expectation.
StudyRow row_of(const std::string& set, const std::string& expectation) {
  const StudyRun run(study_text("    - name: a\n      set: {" + set + "}\n      expect: [" + expectation + "]\n"));
  REQUIRE_MESSAGE(run.errors() == "", run.errors());
  REQUIRE(run.rows.size() == 1);
  return run.rows.front();
}

double value(const std::string& expectation, const std::string& set = "") {
  return row_of(set, "{" + expectation + ", paper: 0}").low;
}

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_CASE("a study's measures are what plan and ops print") {
  const char* const text = R"(model: {layers: 4, hidden: 256, heads: 4, vocab: 1024}
job: {sequence: 128, global_batch: 8}
cluster: {use: dgx-a100-80gb, gpus: 8}
)";
  const planner::Scenario s = sample::scenario(text);
  const planner::Plan plan = planner::make_plan(s);
  CHECK(value("what: step_seconds") == plan.step->seconds);
  CHECK(value("what: peak_bytes") == plan.memory->device.peak_bytes);
  CHECK(value("what: memory_demand_over_capacity") ==
        plan.memory->device.peak_bytes / plan.memory->device.capacity_bytes);
  const planner::CommFractions comm = planner::comm_fractions(s);
  CHECK(value("what: overlapped_share_of_step") == comm.overlapped_share_of_step);
  CHECK(value("what: overlapped_over_hiding_compute") == *comm.overlapped_over_hiding_compute);
  CHECK(value("what: serialized_fraction") == 0);
  CHECK(value("what: exposed_fraction") == comm.exposed_fraction);
  double gemms = 0, seconds = 0, flops = 0, bytes = 0, read = 0, all = 0;
  for (const planner::OperatorRow& r : planner::operator_rows(s)) {
    all += r.count * r.seconds;
    if (r.kind != "gemm") continue;
    gemms += r.count;
    seconds += r.count * r.seconds;
    flops += r.count * r.flops;
    bytes += r.count * (r.bytes_read + r.bytes_written);
    read += r.count * r.bytes_read;
  }
  CHECK(value("what: operators, of: {kind: gemm}") == gemms);
  CHECK(value("what: operator_seconds, of: {kind: gemm}") == doctest::Approx(seconds));
  CHECK(value("what: operator_seconds") == doctest::Approx(all));
  CHECK(value("what: share, of: {kind: gemm}") == doctest::Approx(seconds / all));
  CHECK(value("what: operator_flops, of: {kind: gemm}") == doctest::Approx(flops));
  CHECK(value("what: intensity, of: {kind: gemm}") == doctest::Approx(flops / bytes));
  CHECK(value("what: bandwidth, of: {kind: gemm}") == doctest::Approx(bytes / seconds));
  CHECK(value("what: bytes_read, of: {kind: gemm}") == doctest::Approx(read));
}

TEST_CASE("every measure has a value, and its name once") {
  std::set<std::string> names;
  for (const planner::Measure& m : planner::measures()) {
    CHECK(names.insert(m.name).second);
    CHECK(planner::find_measure(m.name) == &m);
    if (m.of == planner::MeasureOf::rows) continue;  // values of other rows
    const std::string of = m.of == planner::MeasureOf::expression ? ", of: step / 1 s" : "";
    CHECK(std::isfinite(value(std::string("what: ") + m.name + of, "parallelism.tp: 2, parallelism.dp: 4")));
  }
  CHECK(!planner::find_measure("shares"));
}

TEST_CASE("a filter holds for one of its values in each of its columns") {
  const auto operators = [](const std::string& of) { return value("what: operators, of: {" + of + "}"); };
  CHECK(operators("kind: [gemm, normalization]") == operators("kind: gemm") + operators("kind: normalization"));
  CHECK(operators("kind: gemm, layer: head") < operators("kind: gemm"));
  CHECK(operators("name: 'mlp.fc*'") == operators("name: ['mlp.fc1*', 'mlp.fc2*']"));
  CHECK(operators("name: mlp.fc1") * 2 < operators("name: 'mlp.fc*'"));
}

TEST_CASE("a value is an expression over fields and results, in SI units") {
  CHECK(value("what: value, of: model.hidden ^ 2 / tp", "parallelism.tp: 2") == 256 * 256 / 2);
  CHECK(value("what: value, of: memory.peak") == value("what: peak_bytes"));
  CHECK(value("what: value, of: twice * 3", "let: {twice: 2 * job.sequence}") == 768);
}

TEST_CASE("a case sets fields as --set does, also sections and choices") {
  CHECK(value("what: value, of: model.layers", "model.layers: 8") == 8);
  CHECK(value("what: value, of: model.layers * model.hidden", "model: {layers: 8, hidden: 512}") == 8 * 512);
  CHECK(value("what: value, of: model.layers", "model.use: gpt3-1.3b, model.layers: 3") == 3);
  const StudyRow row = row_of("job.sequence: [128, 256, 512]", "{what: value, of: job.sequence, paper: [128, 512]}");
  CHECK(row.values == 3);
  CHECK(row.low == 128);
  CHECK(row.high == 512);
  CHECK(row.holds);
}

TEST_CASE("--set is laid over every case") {
  const StudyRun run(study_text("    - name: a\n      set: {job.sequence: 64}\n"
                                "      expect: [{what: value, of: job.sequence, paper: 32}]\n"),
                     {{"job.sequence=32"}});
  CHECK(run.rows.at(0).holds);
}

TEST_CASE("a figure holds within the tightest of what is written; else by the one rule") {
  struct Row {
    const char *expectation, *layers;
    bool holds;
  };
  for (const Row& r : std::vector<Row>{{"paper: 100", "100", true},
                                       {"paper: 109", "100", true},
                                       {"paper: 112", "100", false},
                                       {"paper: 103, within: {points: 3}", "100", true},
                                       {"paper: 104, within: {points: 3}", "100", false},
                                       {"paper: 80, within: {relative: 0.25}", "100", true},
                                       {"paper: 79, within: {relative: 0.25}", "100", false},
                                       {"paper: 79, within: {points: 50, relative: 0.25}", "100", false},
                                       {"paper: 50, within: {factor: 2}", "100", true},
                                       {"paper: 200, within: {factor: 2}", "100", true},
                                       {"paper: 201, within: {factor: 2}", "100", false},
                                       {"paper: 49, within: {factor: 2}", "100", false},
                                       {"paper: [90, 110]", "100", true},
                                       {"paper: [112, 120]", "100", false},
                                       {"paper: [80, 90]", "[95, 100]", false},
                                       {"paper: [90, 110]", "[95, 105]", true},
                                       {"paper: 105, taking: largest", "[95, 105]", true},
                                       {"paper: 115, taking: smallest", "[95, 105]", false},
                                       {"paper: 100, within: {points: 0.2}, taking: geomean", "[80, 125]", true},
                                       {"paper: 95, taking: smallest", "[95, 105]", true},
                                       {"least: 100", "100", true},
                                       {"least: 101", "100", false},
                                       {"least: 101, within: {points: 1}", "100", true},
                                       {"most: 99", "100", false},
                                       {"most: 100", "100", true},
                                       {"least: 90, most: 99", "100", false}}) {
    CAPTURE(r.expectation);
    const StudyRow row = row_of("model.layers: " + std::string(r.layers),
                                "{what: value, of: model.layers, " + std::string(r.expectation) + "}");
    CHECK(row.holds == r.holds);
  }
  const auto change = [](const std::string& ours, const std::string& paper) {
    return row_of("", "{what: value, of: 1 + " + ours + ", over: {of: 1}, change: true, paper: " + paper + "}").holds;
  };
  CHECK(change("0.071", "0.1"));
  CHECK_FALSE(change("0.069", "0.1"));
  CHECK_FALSE(change("0.56", "0.5"));
  CHECK(change("-0.76", "-0.75"));
  CHECK(change("0.019", "0"));
  CHECK_FALSE(change("-0.021", "0"));
}

TEST_CASE("the difference is what lies beyond the paper's figure or range") {
  const auto difference = [](const std::string& paper) {
    return row_of("model.layers: [95, 105]", "{what: value, of: model.layers, paper: " + paper + "}").difference;
  };
  CHECK(difference("[90, 110]") == 0);
  CHECK(difference("[90, 100]") == 5);
  CHECK(difference("[98, 110]") == -3);
  CHECK(difference("[98, 100]") == 5);
}

TEST_CASE("a quotient is over a case, over other operators, or over both, point by point") {
  const StudyRun run(study_text(R"(    - name: base
      set: {job.sequence: [128, 256]}
    - name: one
    - name: twice
      set: {job.sequence: [128, 256], model.layers: 8}
      expect:
        - {what: value, of: model.layers * job.sequence, over: base, paper: 2}
        - {what: value, of: model.layers * job.sequence, over: base, change: true, paper: 1}
        - {what: value, of: model.layers * job.sequence, over: one, paper: [2, 4]}
        - {what: value, of: model.layers, over: {of: model.hidden}, paper: 8 / 256}
        - {what: value, of: job.sequence, over: {case: one, of: job.global_batch}, paper: [16, 32]}
)"));
  CHECK(run.errors() == "");
  REQUIRE(run.rows.size() == 5);
  for (const StudyRow& row : run.rows) CHECK(row.holds);
}

TEST_CASE("a trend counts neighbours that go the other way, ties among them") {
  const auto row = [](const std::string& of, const std::string& rest) {
    return row_of("job.sequence: [256, 128, 512], model.layers: [2, 4]",
                  "{what: value, of: \"" + of + "\", " + rest + "}");
  };
  const StudyRow rises = row("job.sequence * model.layers", "trend: rises, along: job.sequence");
  CHECK(rises.pairs == 4);
  CHECK(rises.against == 0);
  CHECK(rises.holds);
  CHECK(row("job.sequence * model.layers", "trend: falls, along: job.sequence").against == 4);
  CHECK(row("job.sequence * model.layers", "trend: rises, along: model.layers").pairs == 3);
  CHECK(row("min(job.sequence, 256)", "trend: rises, along: job.sequence").against == 2);
  CHECK_FALSE(row("min(job.sequence, 256)", "trend: rises, along: job.sequence").holds);
}

TEST_CASE("what is accepted is the paper's interval, widened at each end") {
  const auto accepted = [](const std::string& expectation) {
    const StudyRun run(study_text("    - name: a\n      expect: [{what: value, of: 1, " + expectation + "}]\n"));
    REQUIRE_MESSAGE(run.errors() == "", run.errors());
    return run.rows.at(0).expected->accepted();
  };
  struct Row {
    const char* expectation;
    double low, high;
  };
  const double none = std::numeric_limits<double>::infinity();
  for (const Row& r : std::vector<Row>{{"over: {of: 1}, change: true, paper: 0.07", 0.049, 0.091},
                                       {"over: {of: 1}, change: true, paper: 0.57", 0.52, 0.62},
                                       {"over: {of: 1}, change: true, paper: [0.1, 0.5]", 0.07, 0.55},
                                       {"over: {of: 1}, change: true, paper: -0.75", -0.8, -0.7},
                                       {"over: {of: 1}, change: true, paper: 0", -0.02, 0.02},
                                       {"paper: 4", 3.6, 4.4},
                                       {"paper: [250, 550]", 225, 605},
                                       {"paper: 0", 0, 0},
                                       {"paper: 2, within: {factor: 2}", 1, 4},
                                       {"paper: -2, within: {factor: 2}", -4, -1},
                                       {"paper: [0.2, 0.55], within: {factor: 1.5}", 0.2 / 1.5, 0.825},
                                       {"paper: 2, within: {factor: 2, points: 1.5}", 1, 3.5},
                                       {"paper: 100, within: {points: 15, relative: 0.1}", 90, 110},
                                       {"paper: 10, within: {points: 15, relative: 2}", -5, 25},
                                       {"least: 1", 1, none},
                                       {"most: 0.1", -none, 0.1},
                                       {"least: 1, most: 2", 1, 2},
                                       {"least: 1, within: {relative: 0.5}", 0.5, none},
                                       {"most: 0.1, within: {points: 0.02}", -none, 0.12}}) {
    CAPTURE(std::string(r.expectation));
    const planner::Interval i = accepted(r.expectation);
    CHECK((i.low == r.low || std::abs(i.low - r.low) < 1e-12));
    CHECK((i.high == r.high || std::abs(i.high - r.high) < 1e-12));
  }
}

TEST_CASE("a study that extends another has its cases, or its own in their place") {
  TestFolder folder;
  folder.add("base.yaml", study_text("    - name: a\n      expect: [{what: value, of: model.layers, paper: 8}]\n"));
  const auto run = [&](const std::string& text) {
    const StudyRun study(text, {}, folder.name() + "/over.yaml", folder.name());
    CHECK(study.errors() == "");
    REQUIRE(study.rows.size() == 1);
    return study.rows.front();
  };
  CHECK_FALSE(run("extends: ./base.yaml\n").holds);
  CHECK(run("extends: ./base.yaml\nmodel: {layers: 8}\n").holds);
  const StudyRow own =
      run("extends: ./base.yaml\nstudy: {cases: [{name: b, expect: [{what: value, of: model.layers, paper: 4}]}]}\n");
  CHECK(own.holds);
  CHECK(own.case_name == "b");
  CHECK(own.source == "a paper, fig. 1");
}

TEST_CASE("mistakes that all cases share are told once, those of a case at its own place") {
  const StudyRun run("model: {layer: 4}\n" + study_text("    - {name: a}\n    - {name: b}\n").substr(56));
  CHECK(run.errors() != "");
  std::set<std::string> told;
  for (const dsl::Diagnostic& d : run.diagnostics.list) CHECK(told.insert(dsl::render(d)).second);
  const StudyRun cases(study_text("    - {name: a, set: {job.sequnce: 1}}\n    - {name: b, set: {job.sequence: 0}}\n"));
  CHECK(cases.errors() ==
        "study.yaml:7:27: unknown field 'job.sequnce' | did you mean 'sequence'?\n"
        "study.yaml:8:37: job.sequence must be at least 1, got 0\n");
}

TEST_CASE("combinations that 'where' refuses are no part of a case") {
  std::string text = study_text(R"(    - name: a
      set: {job.sequence: [128, 256], parallelism.tp: [1, 2]}
      expect: [{what: value, of: job.sequence * tp, paper: [256, 512]}]
)");
  text = "where: ['job.sequence * tp >= 256']\n" + text;
  const StudyRun run(text);
  CHECK(run.errors() == "");
  CHECK(run.rows.at(0).values == 3);
}

TEST_CASE("every file with a mistake in its study gives exactly its messages") {
  std::set<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fs::path(TRAINPLAN_SOURCE_DIR) / "tests/errors/study"))
    if (entry.path().extension() == ".yaml") files.insert(entry.path());
  CHECK(files.size() >= 10);
  for (fs::path file : files) {
    INFO(file.filename().string());
    const StudyRun run(read(file), {}, file.filename().string(), file.parent_path().string());
    CHECK(run.errors() == read(file.replace_extension(".expected")));
    std::set<std::string> told;
    for (const dsl::Diagnostic& d : run.diagnostics.list) CHECK(told.insert(dsl::render(d)).second);
  }
}

TEST_CASE("rows are the values of all rows with a label, whatever case they stand in") {
  const char* const cases = R"(    - name: a
      set: {job.sequence: [128, 256]}
      expect:
        - {label: "x: a", what: value, of: job.sequence}
        - {label: "y: a", what: value, of: job.sequence * 3, least: 1}
    - name: b
      set: {job.sequence: 512}
      expect:
        - {label: "x: b", what: value, of: job.sequence}
        - {label: every, what: rows, of: "x: *", paper: [128, 512]}
        - {label: smallest, what: rows, of: "x: *", taking: smallest, paper: 128}
        - {label: largest, what: rows, of: "x: *", taking: largest, paper: 512}
        - {label: geomean, what: rows, of: "x: *", taking: geomean, paper: 256}
        - {label: mean, what: rows, of: "x: *", taking: mean, paper: 298.7}
        - {label: one, what: rows, of: "y: a", taking: mean, paper: 576}
)";
  const StudyRun run(study_text(cases));
  REQUIRE_MESSAGE(run.errors() == "", run.errors());
  REQUIRE(run.rows.size() == 9);
  for (const StudyRow& row : run.rows) {
    const bool asks = row.expected->label.find("x: ") == std::string::npos;  // the others are there for them
    CHECK_MESSAGE(row.verdict() == (asks ? planner::Verdict::within : planner::Verdict::shown), row.expected->label);
  }
  CHECK(run.rows[3].values == 3);
  CHECK(run.rows[6].low == doctest::Approx(256));
  CHECK(run.rows[6].high == run.rows[6].low);
  CHECK(run.rows[7].low == doctest::Approx((128.0 + 256 + 512) / 3));
}

TEST_CASE("the values of one case have a geometric mean, too") {
  const StudyRow row =
      row_of("job.sequence: [128, 512]", "{what: value, of: job.sequence, taking: geomean, paper: 256}");
  CHECK(row.low == doctest::Approx(256));
  CHECK(row.values == 2);
}

TEST_CASE("rows without a label that is there are mistakes") {
  const auto errors = [](const std::string& expectation) {
    return StudyRun(study_text("    - name: a\n      expect: [{label: x, what: step_seconds, least: 0}, " +
                               expectation + "]\n"))
        .errors();
  };
  CHECK(errors("{what: rows, of: x, least: 0}") == "");
  CHECK(errors("{what: rows, of: z, least: 0}").find("no row with figures has the label 'z'") != std::string::npos);
  CHECK(errors("{what: rows, least: 0}").find("'rows' needs the label of other rows") != std::string::npos);
  CHECK(errors("{what: rows, of: {kind: gemm}, least: 0}").find("expected the label") != std::string::npos);
  CHECK(errors("{what: rows, of: x, over: a, least: 0}").find("have no 'over'") != std::string::npos);
  CHECK(errors("{label: w, what: rows, of: w, least: 0}").find("has the label 'w'") != std::string::npos);
}

}  // namespace
