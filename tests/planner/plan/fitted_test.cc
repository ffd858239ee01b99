// Fitted models in a scenario: of operators, of the step, in a search, and mistakes in their names.
#include "planner/scenario/fitted.h"

#include "planner/plan/fitted_step.h"
#include "planner/plan/ops.h"
#include "planner/search/evaluator.h"
#include "planner/search/search.h"
#include "planner/studies/whatif/compare.h"
#include "tests/planner/plan/fitted_sample.h"

using fitted_sample::Files;
using operator_models::Provenance;
using planner::Plan;
using planner::Scenario;
using sample::near;
using sample::Sets;

namespace {

const Sets kTensor{"parallelism.tp=4", "software.skew=0 s"};
const char* const kStepModel = "step: pmnf(steps.yaml, step, p=gpus)";

std::vector<double> parts(const planner::Breakdown& b) {
  std::vector<double> seconds;
  for (const planner::BreakdownPart& part : planner::kBreakdownParts) seconds.push_back(b.*part.seconds);
  return seconds;
}

/// Messages and hints of a scenario with this line under `operator_models`, each "LINE:COLUMN message (hint)".
std::string mistakes(const Files& files, const std::string& line) {
  dsl::Diagnostics diagnostics;
  CHECK_FALSE(sample::try_open(Files::text({line}), {}, diagnostics, files.name()));
  std::string out;
  for (const dsl::Diagnostic& d : diagnostics.list)
    out += (out.empty() ? "" : "; ") + std::to_string(d.span.line) + ":" + std::to_string(d.span.column) + " " +
           d.message + (d.hint.empty() ? "" : " (" + d.hint + ")");
  for (size_t at = out.find(files.name() + "/"); at != std::string::npos; at = out.find(files.name() + "/"))
    out.erase(at, files.name().size() + 1);
  return out;
}

}  // namespace

TEST_CASE("operators cost what the formula says of their features, by hand") {
  const Files files;
  const Scenario s = files.load({"all_reduce: pmnf(reduce.yaml, size=bytes)"}, kTensor).scenario;
  int seen = 0;
  for (const planner::OperatorRow& row : planner::operator_rows(s)) {
    CHECK((row.model == "pmnf") == (row.kind == "all-reduce"));
    if (row.kind != "all-reduce") continue;
    ++seen;
    REQUIRE(row.shape[0].first == "bytes");
    CHECK(near(row.seconds, 1e-5 + 3e-12 * row.shape[0].second * std::log2(row.shape[1].second)));
    const bool inside = row.shape[0].second >= 1e6 && row.shape[0].second <= 1e9;
    CHECK(row.provenance == (inside ? "interpolated" : "extrapolated"));
    if (inside) CHECK(near(row.relative_error, 0.02 * std::sqrt(std::acos(-1) / 2)));
  }
  CHECK(seen > 2);
}

TEST_CASE("GEMMs measured over FLOPs are fitted on reading, with rows first") {
  const Files files;
  const Scenario s = files.load({"gemm: pmnf(gemms.csv)"}).scenario;
  for (const planner::OperatorRow& row : planner::operator_rows(s))
    if (row.op_class.ends_with("gemm")) CHECK(near(row.seconds, 1e-5 + 1e-14 * row.flops, 1e-6));
  CHECK(planner::fitted_of(s, "gemm")->parameters[0].most == 1.6e10);
  CHECK(planner::fitted_of(s, "all_reduce") == nullptr);
}

TEST_CASE("of profiles the step is the application: the sum of its categories") {
  const Files files;
  std::string table = "callpath,metric,ranks,value\n";
  for (const int ranks : {2, 4, 8, 16, 32})
    for (const auto& [category, seconds] : {std::pair{"computation", 3.0}, {"communication", 0.25 * ranks}})
      table += std::string("application->") + category + ",time," + std::to_string(ranks) + "," +
               std::to_string(seconds) + "\n";
  files.add("profile.csv", table);
  CHECK(near(sample::plan(files.load({"step: pmnf(profile.csv, application)"}).scenario).step->seconds, 5, 1e-6));
}

TEST_CASE("the step is the model's: parts keep their shares, memory stays, the rest follows") {
  const Files files;
  const Plan before = sample::plan(sample::gpt(kTensor));
  const Plan plan = sample::plan(files.load({kStepModel}, kTensor).scenario);
  const double seconds = 0.1 + 12.0 / 8, factor = seconds / before.step->seconds;
  CHECK(near(plan.step->seconds, seconds));
  CHECK(near(plan.breakdown->sum(), seconds));
  const auto now = parts(*plan.breakdown), then = parts(*before.breakdown);
  for (size_t i = 0; i < now.size(); ++i) CHECK(near(now[i], factor * then[i]));
  for (size_t i = 0; i < plan.communication.size(); ++i)
    CHECK(near(plan.communication[i].exposed_seconds, factor * before.communication[i].exposed_seconds));
  CHECK(plan.memory->device.peak_bytes == before.memory->device.peak_bytes);
  CHECK(near(plan.throughput->mfu, before.throughput->mfu / factor));
  REQUIRE(plan.fitted.size() == 1);
  CHECK(*plan.fitted[0].analytical_seconds == before.step->seconds);
  REQUIRE(plan.sources.size() == 1);
  CHECK(plan.sources[0].kind == "step");
  CHECK(plan.sources[0].provenance == Provenance::measured);
  CHECK(near(std::log(plan.step->high_seconds / seconds), 1.2815515655446004 * 0.05));
}

TEST_CASE("outside of its points a step is extrapolated, with a wider interval and its reach") {
  const Files files;
  const Plan plan = sample::plan(files.load({kStepModel}, {"cluster.gpus=64"}).scenario);
  CHECK(plan.fitted[0].provenance == Provenance::extrapolated);
  CHECK(plan.fitted[0].reach == 8);
  CHECK(near(std::log(plan.step->high_seconds / plan.step->seconds), 1.2815515655446004 * 0.2));
}

TEST_CASE("a model without a time is a violation: of the step alone, of an operator beside the figures") {
  const Files files;
  const Plan step = planner::make_plan(files.load({"step: pmnf(falling.yaml, p=dp)"}).scenario);
  REQUIRE(step.violations.size() == 1);
  CHECK(step.violations[0].rule == "fitted");
  CHECK(step.violations[0].message.ends_with("falling.yaml gives -4 s at p = 8"));
  CHECK_FALSE(step.step);
  const Plan reduce = planner::make_plan(files.load({"all_reduce: pmnf(falling.yaml, p=ranks)"}, kTensor).scenario);
  REQUIRE(reduce.violations.size() == 1);
  CHECK(reduce.violations[0].rule == "fitted");
  CHECK(reduce.violations[0].message.ends_with("falling.yaml gives 0 s at p = 4"));
  CHECK_FALSE(reduce.feasible);
  CHECK(reduce.step);
  CHECK(planner::make_plan(files.load({"all_reduce: pmnf(falling.yaml, p=ranks)"}, {"parallelism.tp=2"}).scenario)
            .violations.size() == 1);  // gradients of four ranks
}

TEST_CASE("each feature of the step is a field, by its name and its path") {
  const Files files;
  const Scenario s = files.load({"gemm: wave"}, kTensor).scenario;
  const auto value = [&](const char* name) { return planner::step_features()[planner::step_feature_row(name)].of(s); };
  for (const auto& [name, expected] : {std::pair{"gpus", 8.0},
                                       {"ranks", 8.0},
                                       {"nodes", 1.0},
                                       {"tp", 4.0},
                                       {"dp", 2.0},
                                       {"parallelism.dp", 2.0},
                                       {"job.global_batch", 64.0},
                                       {"hidden", 1024.0},
                                       {"model.layers", 8.0},
                                       {"sequence", 1024.0},
                                       {"cluster.gpus", 8.0}})
    CHECK(value(name) == expected);
  CHECK(planner::step_feature_row("") == std::string::npos);
}

TEST_CASE("candidates of a search have the figures of their plans, and break what these break") {
  const Files files;
  const Sets choices{"parallelism.tp=[1, 2, 4]", "parallelism.pp=[1, 2]", "parallelism.microbatch=[1, 2]",
                     "parallelism.recompute=[none, full]"};
  for (const Sets& models :
       {Sets{kStepModel, "all_reduce: pmnf(reduce.yaml, size=bytes)"}, Sets{"step: pmnf(falling.yaml, p=tp)"},
        Sets{"all_reduce: pmnf(falling.yaml, p=ranks)"}, Sets{"gemm: [wave, pmnf(gemms.csv), table]"}}) {
    dsl::Diagnostics diagnostics;
    const auto open = sample::try_open(Files::text(models), choices, diagnostics, files.name());
    REQUIRE(open);
    planner::Candidate candidate(*open);
    planner::SharedParts shared;
    dsl::Cursor cursor(open->space);
    planner::Evaluator evaluator(*open, shared, cursor.order());
    int64_t feasible = 0;
    while (cursor.next()) {
      const Scenario& s = candidate.at(cursor);
      evaluator.follow(cursor);
      const size_t rule = evaluator.broken_rule(s);
      REQUIRE(rule == planner::first_broken_layout_rule(s));
      if (rule < planner::layout_rule_count()) continue;
      const planner::PlanFigures figures = evaluator.figures(s);
      const Plan plan = planner::make_unchecked_plan(s);
      CHECK(figures.step.seconds == plan.step->seconds);
      CHECK(figures.step.low_seconds == plan.step->low_seconds);
      CHECK(parts(figures.breakdown) == parts(*plan.breakdown));
      CHECK(figures.throughput.mfu == plan.throughput->mfu);
      CHECK(figures.priced == plan.feasible);
      feasible += figures.priced;
    }
    CHECK(planner::search(*open, {}).feasible == feasible);
    CHECK(feasible > 0);
  }
}

TEST_CASE("the steps of two scenarios compare, each with its own models") {
  const Files files;
  const auto a = files.load({kStepModel}), b = files.load({"gemm: pmnf(gemms.csv)"});
  double sum = 0;
  for (const planner::Difference& d : planner::compare(a, b)) sum += d.seconds;
  CHECK(near(sum, planner::make_plan(b.scenario).step->seconds - planner::make_plan(a.scenario).step->seconds));
}

TEST_CASE("mistakes in names of models point at them and say what there is") {
  const Files files;
  const char* const kGemmFeatures = "m, n, k, batch, flops, bytes";
  const std::pair<std::string, std::string> kRows[] = {
      {"gemm: pmnf", "expected pmnf(FILE[, CALLPATH][, PARAMETER=FEATURE]...)"},
      {"gemm: pmnf(a.json", "expected pmnf(FILE"},
      {"gemm: pmnf(a.json", "quote all of 'pmnf(...)'"},
      {"gemm: pmnf(none.json)", "no file 'none.json'"},
      {"gemm: pmnf(/dev/zero)", "no file '/dev/zero'"},
      {"gemm: pmnf(.)", "a folder without .sqlite files"},
      {"gemm: pmnf(visits.csv, p=m)", "the metric 'visits' of 'visits.csv' is not a time"},
      {"gemm: pmnf(rate.csv, p=m)", "the metric 'tokens_per_s' of 'rate.csv' is not a time"},
      {"gemm: pmnf(units.csv, p=m)", "the metric 'time_ms' of 'units.csv' is in milliseconds"},
      {"step: pmnf(steps.yaml)", "'steps.yaml' has 2 models of a time: step, loading (name one: pmnf(steps.yaml, "},
      {"step: pmnf(steps.yaml, stop)",
       "no model of 'steps.yaml' has the call path 'stop'; it has step, loading, step (did you mean 'step'?)"},
      {"step: pmnf(steps.yaml, step)", "the model's parameter 'p' is no feature of step, which has gpus, ranks"},
      {"step: pmnf(steps.yaml, step, q=dp)", "the model has no parameter 'q'; it has p"},
      {"step: pmnf(steps.yaml, step, p=gpu)", "step has no feature 'gpu'; it has gpus, ranks"},
      {"all_reduce: pmnf(reduce.yaml)",
       "the model's parameter 'size' is no feature of all_reduce, which has bytes, "
       "ranks (say what it is: size=bytes)"},
      {"gemm: pmnf(reduce.yaml, size=byte, ranks=m)",
       std::string("gemm has no feature 'byte'; it has ") + kGemmFeatures + " (did you mean 'bytes'?)"},
      {"gemm: [wave, 'pmnf(none.json)']", "no file 'none.json'"},
      {"all_reduce: wave",
       "no all_reduce model is called 'wave'; known: table, alpha-beta, baseline, three_region, "
       "pmnf(FILE)"},
      {"step: wave", "no step model is called 'wave'; known: pmnf(FILE)"},
      {"all-reduce: pmnf(reduce.yaml)", "unknown field 'operator_models.all-reduce' (did you mean"},
  };
  for (const auto& [line, expected] : kRows) {
    const std::string told = mistakes(files, line);
    INFO(told);
    CHECK(told.starts_with("7:"));
    CHECK(told.find(expected) != std::string::npos);
  }
}

TEST_CASE("a mistake inside the file is told at its place there") {
  const Files files;
  files.add("bad.yaml", "parameters: p\nmodels: [{metric: time, model: 2 ^ p}]\n");
  CHECK(mistakes(files, "step: pmnf(bad.yaml, p=dp)").starts_with("2:"));
}

TEST_CASE("the SMAPE of a formula is a share") {
  const Files files;
  for (const char* smape : {"-1", "5", "foo", "[1]", "1e300"}) {
    files.add("bad.yaml", std::string("parameters: p\nmodels: [{metric: time, model: 2 + p, smape: ") + smape + "}]\n");
    const std::string told = mistakes(files, "step: pmnf(bad.yaml, p=dp)");
    INFO(told);
    CHECK(told.starts_with("2:"));
    CHECK(told.find("expected the SMAPE as a share from 0 to 2") != std::string::npos);
  }
}

TEST_CASE("a step takes exactly what its model says, so that equal models tie") {
  const Files files;
  for (const char* tp : {"1", "2", "4"}) {
    const auto loaded = files.load({kStepModel}, {std::string("parallelism.tp=") + tp});
    CHECK(planner::make_plan(loaded.scenario).step->seconds == 0.1 + 12.0 / 8);
  }
}

TEST_CASE("an operator without a time in its model is the analytical one, under its own name") {
  const Files files;
  const auto analytical = files.load({"all_reduce: table"}, {"parallelism.tp=8"});
  const auto unpriced = files.load({"all_reduce: pmnf(falling.yaml, p=ranks)"}, {"parallelism.tp=8"});
  const auto plain = planner::operator_rows(analytical.scenario), rows = planner::operator_rows(unpriced.scenario);
  REQUIRE(rows.size() == plain.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    CHECK(rows[i].model == plain[i].model);
    CHECK(rows[i].provenance == plain[i].provenance);
    CHECK(rows[i].seconds == plain[i].seconds);
  }
}
