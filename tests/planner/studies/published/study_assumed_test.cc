// Other values of what a study assumes, and what its figures rest on.
#include <doctest/doctest.h>

#include "tests/planner/studies/published/study_sample.h"

namespace {

using sample::study_text;
using sample::StudyRun;

TEST_CASE("each assumption is laid over all cases, and under what the user sets") {
  const std::string study = study_text(R"(    - name: a
      expect:
        - {label: fast, what: value, of: cluster.gpu.speedup, paper: 4}
        - {label: bound, what: value, of: cluster.gpu.speedup, most: 1}
  assumed:
    - {name: twice, set: {cluster.gpu.speedup: 2}}
    - {name: four times, set: {cluster.gpu.speedup: 4}}
)");
  const StudyRun run(study);
  REQUIRE_MESSAGE(run.errors() == "", run.errors());
  CHECK(!run.rows.at(0).holds);
  CHECK(run.rows[0].assumed->low == 1);
  CHECK(run.rows[0].assumed->high == 4);
  CHECK(run.rows[0].turned_by == std::vector<std::string>{"four times"});
  CHECK(run.rows[1].turned_by == std::vector<std::string>{"twice", "four times"});
  const StudyRun set(study, {{"cluster.gpu.speedup=1"}});
  CHECK(set.rows.at(0).assumed->high == 1);
  CHECK(set.rows[0].turned_by.empty());
}

TEST_CASE("a figure that cannot fail says why, and another assumption sets something") {
  const auto errors = [](const std::string& expectation, const std::string& more = "") {
    return StudyRun(study_text("    - name: a\n      expect: [" + expectation + "]\n" + more)).errors();
  };
  const std::string figure = "{what: step_seconds, least: 0";
  CHECK(errors(figure + ", rests_on: construction, why: no time is negative}") == "");
  CHECK(errors(figure + ", rests_on: construction}").find("'why' says on what") != std::string::npos);
  CHECK(errors(figure + R"(, rests_on: fit, required: false, why: 'a "b"'})").find("required") != std::string::npos);
  CHECK(errors(figure + ", rests_on: luck, why: x}").find("luck") != std::string::npos);
  CHECK(errors(figure + "}", "  assumed: [{name: b}]\n").find("sets something") != std::string::npos);
  CHECK(errors(figure + "}", "  assumed: [{name: b, set: 3}]\n").find("a map of paths") != std::string::npos);
}

TEST_CASE(
    "launches count the kernels of an optimizer that goes tensor by tensor, and rest_share what a filter leaves") {
  const StudyRun run(study_text(R"(    - name: a
      set: {software.fusion.optimizer: false}
      expect:
        - {label: launches, what: launches, of: {name: adam}, over: {case: fused, of: {name: adam}}, least: 14}
        - {label: calls, what: operators, of: {name: adam}, over: {case: fused, of: {name: adam}}, paper: 1}
        - {label: a, what: share, of: {kind: gemm}, least: 0.001}
        - {label: b, what: rest_share, of: {kind: gemm}, least: 0.001}
    - name: fused
)"));
  REQUIRE_MESSAGE(run.errors() == "", run.errors());
  CHECK(run.rows.at(0).holds);
  CHECK(run.rows.at(1).low == 1);
  CHECK(run.rows.at(2).low + run.rows.at(3).low == doctest::Approx(1));
}

}  // namespace
