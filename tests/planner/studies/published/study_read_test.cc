// What a study reads as, quotients and trends over several choices, and mistakes that tests/errors/study has not.
#include <doctest/doctest.h>

#include "planner/studies/published/study.h"
#include "tests/planner/studies/published/study_sample.h"

namespace {

using planner::Expectation;
using planner::StudyRow;
using sample::study_text;
using sample::StudyRun;

std::string expecting(const std::string& expectation, const std::string& set = "") {
  return study_text("    - name: a\n      set: {" + set + "}\n      expect: [{" + expectation + "}]\n");
}

/// The message about one expectation, without its place.
std::string mistake(const std::string& expectation, const std::string& set = "") {
  const StudyRun run(expecting(expectation, set));
  CHECK(run.rows.empty());
  std::string out;
  for (const dsl::Diagnostic& d : run.diagnostics.list) out += (out.empty() ? "" : "\n") + d.message;
  return out;
}

StudyRow row_of(const std::string& expectation, const std::string& set) {
  const StudyRun run(expecting(expectation, set));
  REQUIRE_MESSAGE(run.errors() == "", run.errors());
  return run.rows.at(0);
}

TEST_CASE("an expectation keeps its words, its filter and what it is over") {
  const StudyRun run(study_text(R"(    - name: base
    - name: a
      set: {job.sequence: 256, parallelism: {tp: 2}}
      expect:
        - label: GEMMs
          what: share
          of: {kind: [gemm, normalization], name: 'mlp.*'}
          over: {case: base, of: {phase: forward}}
          least: 0
          required: false
          why: elsewhere "a half"
        - {what: share, of: {kind: gemm}, over: base, least: 0}
        - {what: share, of: {kind: gemm}, over: {of: {}}, least: 0}
)"));
  REQUIRE_MESSAGE(run.errors() == "", run.errors());
  const planner::Case& c = run.study->cases.at(1);
  REQUIRE(c.set.size() == 2);
  CHECK(c.set[1].key == "parallelism");
  const Expectation& e = c.expect.at(0);
  CHECK(e.label == "GEMMs");
  CHECK(e.asked.text == "kind=gemm, normalization name=mlp.*");
  CHECK(e.asked.filter.columns.at(0).words.at(1).text == "normalization");
  CHECK(e.over->at == 0);
  CHECK(e.over->asked.text == "phase=forward");
  CHECK(e.why == "elsewhere \"a half\"");
  CHECK(e.span.line == 12);
  CHECK(c.expect.at(1).over->asked.text == "kind=gemm");  // as `of`, where the base has none of its own
  CHECK(c.expect.at(2).over->at == 1);                    // the case itself
  CHECK(c.expect.at(2).over->asked.filter.columns.empty());
  CHECK(run.rows.at(2).low == doctest::Approx(row_of("what: share, of: {kind: gemm}, least: 0",
                                                     "job.sequence: 256, parallelism: {tp: 2}")
                                                  .low));  // over all operators, whose share is 1
}

TEST_CASE("a value is taken after it is divided, and a change is its quotient less 1") {
  const std::string grid = "job.sequence: [128, 256, 512], model.layers: [2, 4]";
  const std::string quotient = "what: value, of: job.sequence * model.layers, over: {of: model.layers ^ 2}, ";
  const StudyRow every = row_of(quotient + "paper: [32, 256]", grid);
  CHECK(every.values == 6);
  CHECK(every.low == 32);
  CHECK(every.high == 256);
  CHECK(row_of(quotient + "paper: 256, taking: largest", grid).low == 256);
  CHECK(row_of(quotient + "paper: 32, taking: smallest", grid).high == 32);
  const StudyRow change = row_of(quotient + "paper: 31, taking: smallest, change: true", grid);
  CHECK(change.low == 31);
  CHECK(change.holds);
}

TEST_CASE("a quotient's trend is that of the quotients, a tie at any place against it") {
  const std::string grid = "job.sequence: [512, 128, 256], model.layers: [2, 4]";
  const auto row = [&](const std::string& of, const std::string& over, const std::string& trend) {
    return row_of("what: value, of: '" + of + "', over: {of: '" + over + "'}, trend: " + trend, grid);
  };
  const StudyRow falls = row("job.sequence", "job.sequence ^ 2", "falls, along: job.sequence");
  CHECK(falls.pairs == 4);
  CHECK(falls.against == 0);
  CHECK(falls.low == 1.0 / 512);
  CHECK(row("job.sequence", "job.sequence", "falls, along: job.sequence").against == 4);
  CHECK(row("job.sequence", "model.layers", "falls, along: model.layers").holds);
  const StudyRow one = row("max(job.sequence, 64 * model.layers)", "1", "rises, along: job.sequence");
  CHECK(one.against == 1);  // at 4 layers 128 counts as 256
  CHECK_FALSE(one.holds);
}

TEST_CASE("mistakes of one expectation") {
  struct Row {
    const char *expectation, *message;
  };
  for (const Row& r : std::vector<Row>{
           {"what: value, of: [1, 2], paper: 1", "expected an expression after 'of'"},
           {"what: value, of: {kind: gemm}, paper: 1", "expected an expression after 'of'"},
           {"what: share, of: {kind: ''}, paper: 1", "expected a value of the column 'kind', or a list of them"},
           {"what: share, of: {kind: [gemm, [a]]}, paper: 1",
            "expected a value of the column 'kind', or a list of them"},
           {"what: peak_bytes, over: {of: {kind: gemm}}, paper: 1",
            "'peak_bytes' is of the whole step and takes no 'of'"},
           {"what: share, paper: [1, 2, 3]", "'paper' is a figure, or a range [low, high]"},
           {"what: share, least: 2, most: 1", "'paper' is a figure, or a range [low, high]"},
           {"what: share, paper: 1, along: job.sequence", "'along' is of a trend"},
           {"what: share, paper: 1, most: 1",
            "an expectation has a figure ('paper'), a bound ('least', 'most') or a 'trend'"},
           {"what: share, paper: 1, required: false, why: none",
            "a figure that is not required quotes the places of the text that exclude it"},
           {"what: share, paper: 1, required: false, why: '\"'",
            "a figure that is not required quotes the places of the text that exclude it"},
           {"what: share, of: {name: 'mpl.*'}, paper: 1", "no operator of case 'a' has the name 'mpl.*'"},
           {"what: value, of: 1 / (job.sequence - 128), paper: 1", "division by zero"},
           {"what: share, paper: 1, change: true, required: false",
            "a change needs what it is a change from\n"
            "a figure that is not required quotes the places of the text that exclude it"}})
    CHECK_MESSAGE(mistake(r.expectation) == r.message, r.expectation);
}

TEST_CASE("mistakes that only the walk of a case finds") {
  CHECK(mistake("what: share, trend: rises, along: job.precision", "job.precision: [fp16, bf16]") ==
        "a trend is along numbers, and 'job.precision' is none");
  const StudyRun none("where: ['job.sequence > 4096']\n" + expecting("what: share, paper: 1"));
  CHECK(none.errors().find("case 'a' has no configuration") != std::string::npos);
  // A word is known if any configuration has it.
  CHECK(row_of("what: share, of: {class: communication}, least: 0", "parallelism.tp: [1, 2]").values == 2);
}

}  // namespace
