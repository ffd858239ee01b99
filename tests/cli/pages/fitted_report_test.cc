// Fitted models as the command line shows them: figures, warnings, statuses, places of mistakes.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/sample_files.h"
#include "tests/dsl/folder.h"

namespace {

using Json = nlohmann::json;

constexpr const char* kSteps =
    "parameters: p\npoints: [4, 8, 16]\nmodels: [{callpath: step, metric: time, model: 2 + 40 / p}]\n";

struct Files : TestFolder {
  Files() {
    add("steps.yaml", kSteps);
    add("reduce.csv", "bytes,time\n1e5,2e-5\n1e6,3e-5\n1e7,1.3e-4\n1e8,1.13e-3\n1e9,1.113e-2\n");
    add("falling.yaml", "parameters: p\nmodels: [{metric: time, model: 4 - p}]\n");
    job = add("job.yaml", kSmallJob);
  }
  /// A file of the job with these lines under `operator_models`.
  std::string with(const std::string& models) const {
    return add("with.yaml", std::string(kSmallJob) + "operator_models:\n" + models);
  }
  std::string job;
};

Json json_of(const Ran& r) {
  CHECK_FALSE(has_nan(r.out));
  return Json::parse(r.out);
}

}  // namespace

TEST_CASE("a plan says which models it asked, where, and what the analytical step takes") {
  const Files files;
  const std::string file = files.with("  step: pmnf(steps.yaml, p=gpus)\n  all_reduce: pmnf(reduce.csv)\n");
  const Json plain = json_of(ran({"plan", files.job, "--format", "json"}));
  CHECK_FALSE(plain.contains("fitted"));
  const Json j = json_of(ran({"plan", file, "--format", "json"}));
  CHECK(j["step"]["seconds"].get<double>() == doctest::Approx(7));
  REQUIRE(j["fitted"].size() == 2);
  const Json &reduce = j["fitted"][0], &step = j["fitted"][1];
  CHECK(reduce["kind"] == "all_reduce");
  CHECK(reduce["parameters"][0]["feature"] == "bytes");
  CHECK(reduce["parameters"][0]["measured_to"] == 1e9);
  CHECK(reduce["analytical_seconds"].is_null());
  CHECK(step["formula"] == "2 + 40 * p^(-1)");
  CHECK(step["provenance"] == "measured");
  CHECK(step["parameters"][0]["asked_from"] == 8);
  CHECK(step["analytical_seconds"].get<double>() > 0);
  const Ran page = ran({"plan", file}, "", 160);
  CHECK(page.status == 0);
  for (const char* part :
       {"Models fitted to measurements", "step model", "; the analytical step takes ",
        "p = gpus 8 (measured 4 to 16): measured", "2 + 40 * p^(-1)", "provenance  measured 100.0 %"})
    CHECK_MESSAGE(holds(page.out, part), part);
}

TEST_CASE("a resolved scenario with fitted models plans to the same bytes from anywhere in its folder") {
  const Files files;
  const Ran first = ran({"plan", files.with("  step: pmnf(steps.yaml, p=gpus)\n"), "--format", "json"});
  const Ran again = ran({"plan", "-", "--format", "json"}, resolved_scenario(first.out));
  CHECK(again.status == 0);
  CHECK(all_but_unwritten(again.out) == all_but_unwritten(first.out));
}

TEST_CASE("ops shows the model and its provenance; the step's model is no operator's") {
  const Files files;
  const std::string file = files.with("  all_reduce: pmnf(reduce.csv)\n  step: pmnf(steps.yaml, p=gpus)\n");
  const Ran r = ran({"ops", file, "--format", "csv", "--columns", "kind,model,provenance"});
  CHECK(r.status == 0);
  CHECK(holds(r.out, "all-reduce,pmnf,interpolated"));
  CHECK_FALSE(holds(r.out, "gemm,pmnf"));
}

TEST_CASE("a search with fitted models finds the bits of the plans, and refuses where they have no time") {
  const Files files;
  const std::string choices = "parallelism: {tp: [1, 2, 4], microbatch: [1, 2]}\nwhere: ['memory.peak > 0 GB']\n";
  const std::string job = std::string(kSmallJob).substr(0, std::string(kSmallJob).find("parallelism"));
  const auto searched = [&](const std::string& models) {
    const std::string file = files.add("search.yaml", job + choices + "operator_models:\n" + models);
    return ran({"search", file, "--verify", "20", "--format", "json", "--threads", "1"});
  };
  for (const char* models : {"  step: pmnf(steps.yaml, p=parallelism.dp)\n", "  all_reduce: pmnf(reduce.csv)\n",
                             "  all_reduce: [table, pmnf(reduce.csv)]\n"}) {
    const Ran r = searched(models);
    CHECK_MESSAGE(r.status == 0, r.err);
    CHECK(json_of(r)["space"]["feasible"].get<int>() > 0);
  }
  const Ran refused = searched("  step: pmnf(falling.yaml, p=tp)\n");
  CHECK(refused.status == 0);
  CHECK(json_of(refused)["space"]["rejected"]["fitted"] == 2);
}

TEST_CASE("a search names the models that refuse all of it, and explains candidates with and without one") {
  const Files files;
  const std::vector<std::string> both{"--set", "parallelism.microbatch=[1, 2]"};
  const auto searched = [&](const std::string& models, std::vector<std::string> more) {
    more.insert(more.begin(), {"search", files.with(models)});
    more.insert(more.end(), both.begin(), both.end());
    return ran(more, "", 160);
  };
  const Ran none = searched("  all_reduce: pmnf(falling.yaml, p=bytes)\n", {});
  CHECK(none.status == 3);
  CHECK(holds(none.out, "the fitted model of an operator is not above zero where it is asked"));
  const Ran step = searched("  step: pmnf(falling.yaml, p=gpus)\n", {});
  CHECK(step.status == 3);
  CHECK(holds(step.out, "gives -4 s at p = 8, such as microbatch 1"));
  const Ran explained = searched("  step: ['', 'pmnf(steps.yaml, p=gpus)']\n", {"--explain", "2"});
  CHECK(explained.status == 0);
  CHECK(holds(explained.out, "What each difference is worth"));
}

TEST_CASE("a model asked far beyond its points is warned of, one without a time is not feasible") {
  const Files files;
  const std::string file = files.with("  step: pmnf(steps.yaml, p=gpus)\n");
  const Ran far = ran({"plan", file, "--set", "cluster.gpus=512", "--set", "job.global_batch=1024"});
  CHECK(far.status == 0);
  CHECK(holds(far.err, "warning: the model of step in "));
  CHECK(holds(far.err, "is asked up to 32 times beyond its points: p = gpus 512 (measured 4 to 16)"));
  CHECK_FALSE(holds(ran({"plan", file}).err, "beyond its points"));
  const Ran none = ran({"plan", files.with("  step: pmnf(falling.yaml, p=dp)\n")}, "", 200);
  CHECK(none.status == 3);
  CHECK(holds(none.out, "gives 0 s at p = 4"));
}

TEST_CASE("a file of models is what scale printed of the measurements") {
  const Files files;
  const Ran scaled = ran({"scale", files.path / "reduce.csv", "--format", "json"});
  files.add("reduce.json", scaled.out);
  const auto seconds = [&](const char* name) {
    const Ran r = ran({"ops", files.with(std::string("  all_reduce: pmnf(") + name + ")\n"), "--format", "json"});
    return Json::parse(r.out)["operators"];
  };
  const Json a = seconds("reduce.csv"), b = seconds("reduce.json");
  REQUIRE(a.size() == b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    CHECK(a[i]["seconds"].get<double>() == doctest::Approx(b[i]["seconds"].get<double>()).epsilon(1e-9));
    CHECK(a[i]["relative_error"].get<double>() == doctest::Approx(b[i]["relative_error"].get<double>()));
  }
}

TEST_CASE("mistakes in a name of a model end with status 1 at its place") {
  const Files files;
  const Ran r = ran({"plan", files.with("  step: pmnf(none.csv)\n")});
  CHECK(r.status == 1);
  CHECK(holds(r.err, "with.yaml:6:9: error: no file '"));
  CHECK(holds(r.err, "   6 |   step: pmnf(none.csv)\n     |         ^~~~~~~~~~~~~~\n"));
  const Ran set = ran({"plan", files.job, "--set", "operator_models.gemm=pmnf(x"});
  CHECK(set.status == 1);
  CHECK(holds(set.err, "--set:1:22: error: expected pmnf(FILE"));
}

TEST_CASE("shards of a search whose measurements differ do not merge") {
  const Files files;
  const auto shard = [&](const char* part, const std::string& to) {
    const Ran r = ran({"search", files.with("  step: pmnf(steps.yaml, p=gpus)\n"), "--set",
                       "parallelism.microbatch=[1, 2]", "--shard", part, "--format", "json"});
    REQUIRE(r.status == 0);
    return files.add(to, r.out);
  };
  const std::string one = shard("1/2", "1.json"), same = shard("2/2", "2.json");
  CHECK(ran({"merge", one, same}).status == 0);
  files.add("steps.yaml",
            "parameters: p\npoints: [4, 8, 16]\nmodels: [{callpath: step, metric: time, model: 2 + 41 / p}]\n");
  const Ran r = ran({"merge", one, shard("2/2", "2.json")});
  CHECK(r.status == 1);
  CHECK(holds(r.err, "not of the same search"));
}

TEST_CASE("a warning names the fitted models of single collectives") {
  const Files files;
  files.add("one.yaml", "parameters: bytes\nmodels: [{metric: time, model: 1 + 1e-12 * bytes}]\n");
  const Ran r = ran({"plan", files.with("  all_reduce: pmnf(one.yaml)\n")});
  CHECK(holds(r.err, "collective, some fitted, extrapolated"));
}
