#include "cli/commands/commands.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"

using Json = nlohmann::ordered_json;

namespace {

const std::string kSource = TRAINPLAN_SOURCE_DIR;

/// A small job that fits one node of the catalogue's DGX A100.
const char* kScenario = R"(model: {use: megatron-1.7b}
job: {sequence: 2048, global_batch: 64, tokens: 1e9}
cluster: {use: dgx-a100-80gb, gpus: 8}
parallelism: {tp: 2, microbatch: 2}
)";

/// A folder of this test's own, gone at its end.
struct Folder {
  std::filesystem::path path;
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "trainplan-XXXXXX").string();
    path = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path / name).parent_path());
    std::ofstream(path / name, std::ios::binary) << text;
    return (path / name).string();
  }
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a plan from standard input exits 0 and says nothing on standard error") {
  Ran r = ran({"plan", "-"}, kScenario);
  CHECK(r.status == 0);
  CHECK(r.err == "");
  CHECK(has(r.out, "megatron-1.7b on 8 x a100-sxm-80gb"));
}

TEST_CASE("the resolved scenario plans to the same bytes") {
  Ran first = ran({"plan", "--format", "json", "-"}, kScenario);
  REQUIRE(first.status == 0);
  std::string resolved = resolved_scenario(first.out);
  Ran again = ran({"plan", "--format", "json", "-"}, resolved);
  CHECK(again.status == 0);
  CHECK(all_but_unwritten(again.out) == all_but_unwritten(first.out));
  Json scenario = Json::parse(resolved);
  CHECK(scenario["job"]["sequence"] == 2048);
  CHECK(scenario["job"]["precision"] == "bf16");
  CHECK(scenario["parallelism"]["sequence_parallel"] == false);
  CHECK(scenario["cluster"]["gpu"]["memory_bandwidth"].is_string());
}

TEST_CASE("--set changes the plan, a wrong one is exit status 1 with its place") {
  CHECK(has(ran({"plan", "--set", "job.global_batch=128", "--format", "json", "-"}, kScenario).out,
            "\"global_batch\": 128"));
  for (const char* wrong :
       {"job.global_batch=", "job.sequnce=1", "job.global_batch=3 s", "nonsense", "=", "job.global_batch=(("}) {
    Ran r = ran({"plan", "--set", wrong, "-"}, kScenario);
    CAPTURE(std::string(wrong));
    CHECK(r.status == 1);
    CHECK(r.out == "");
    CHECK(has(r.err, "--set:1:"));
  }
}

TEST_CASE("a mistake in a file is exit status 1, on standard error and with --format json also as a document") {
  std::string wrong = std::string(kScenario) + "jub: 3\n";
  Ran text = ran({"plan", "-"}, wrong), json = ran({"plan", "--format", "json", "-"}, wrong);
  CHECK(text.status == 1);
  CHECK(text.out == "");
  CHECK(has(text.err, "<stdin>:5:1: error:"));
  CHECK(json.status == 1);
  CHECK(json.err == text.err);
  Json document = Json::parse(json.out);
  CHECK(document["format"] == "trainplan.diagnostics/1");
  REQUIRE(document["diagnostics"].size() == 1);
  const Json& d = document["diagnostics"][0];
  CHECK(d["file"] == "<stdin>");
  CHECK(d["line"] == 5);
  CHECK(d["column"] == 1);
  CHECK(d["severity"] == "error");
  CHECK(has(d["hint"].get<std::string>(), "did you mean 'job'"));
}

TEST_CASE("an unreadable file is exit status 1 with a diagnostic") {
  for (const std::string& path : {std::string("no/such/file.yaml"), kSource}) {
    Ran r = ran({"plan", "--format", "json", path});
    CAPTURE(path);
    CHECK(r.status == 1);
    CHECK(has(r.err, "cannot read"));
    CHECK(Json::parse(r.out)["diagnostics"][0]["severity"] == "error");
  }
}

TEST_CASE("no bytes crash or pass: empty, binary and huge inputs are diagnosed") {
  for (const std::string& text : {std::string(), std::string("\0\1\2", 3), std::string(3 << 20, 'a'),
                                  std::string(5000, '['), std::string("\xff\xfe")}) {
    Ran r = ran({"plan", "-"}, text);
    CHECK(r.status == 1);
    CHECK(r.err != "");
  }
}

TEST_CASE("an impossible layout prints the plan and exits 3") {
  Ran r = ran({"plan", "--set", "parallelism.dp=3", "--format", "json", "-"}, kScenario);
  CHECK(r.status == 3);
  Json plan = Json::parse(r.out);
  CHECK(plan["feasible"] == false);
  CHECK(plan["violations"][0]["rule"] == "ranks");
  CHECK(plan["step"].is_null());
  CHECK(ran({"ops", "--set", "parallelism.dp=3", "-"}, kScenario).status == 3);
}

TEST_CASE("a plan that does not fit keeps its figures") {
  Ran r = ran({"plan", "--set", "cluster.gpu.memory=4 GiB", "--format", "json", "-"}, kScenario);
  CHECK(r.status == 3);
  Json plan = Json::parse(r.out);
  CHECK(plan["violations"][0]["rule"] == "memory");
  CHECK(plan["step"]["seconds"].is_number());
}

TEST_CASE("open choices need --pick: the first values, or those of the best plan") {
  std::vector<std::string> set{"--set", "parallelism.tp=[2, 4]", "-"};
  auto with = [&](std::vector<std::string> args) {
    args.insert(args.end(), set.begin(), set.end());
    return ran(args, kScenario);
  };
  CHECK(with({"plan"}).status == 1);
  CHECK(with({"plan", "--pick", "first"}).status == 0);
  const Ran best = with({"plan", "--pick", "best", "--format", "json"});
  CHECK(best.status == 0);
  const Json found = Json::parse(with({"search", "--format", "json"}).out)["plans"][0];
  CHECK(Json::parse(best.out)["step"]["seconds"] == found["step_seconds"]);
  CHECK(Json::parse(best.out)["scenario"]["parallelism"]["tp"] == found["choices"]["parallelism.tp"]);
  const std::string tp = "parallelism.tp=" + found["choices"]["parallelism.tp"].dump();
  CHECK(with({"ops", "--pick", "best"}).out == ran({"ops", "-", "--set", tp}, kScenario).out);
  CHECK(with({"plan", "--pick", "best", "--set", "where=[tp > 8]"}).status == 3);
  CHECK(ran({"plan", "--pick", "best", "-"}, kScenario).status == 0);  // nothing is open
}

TEST_CASE("a breakdown sums to the step, stages to their total, in the printed JSON too") {
  Json plan = Json::parse(ran({"plan", "--format", "json", "-"}, kScenario).out);
  double sum = 0;
  for (const auto& part : plan["breakdown"]) sum += part.get<double>();
  CHECK(sum == plan["step"]["seconds"].get<double>());
  double exposed = 0;
  for (const auto& row : plan["communication"]) exposed += row["exposed_seconds"].get<double>();
  CHECK(exposed == doctest::Approx(plan["breakdown"]["serialized_comm"].get<double>() +
                                   plan["breakdown"]["exposed_comm"].get<double>()));
}

TEST_CASE("every format prints a plan and the operators") {
  for (const char* command : {"plan", "ops"})
    for (const char* format : {"table", "json", "ndjson", "csv", "tsv", "md"}) {
      Ran r = ran({command, "--format", format, "-"}, kScenario);
      CAPTURE(std::string(command));
      CAPTURE(std::string(format));
      CHECK(r.status == 0);
      CHECK(r.out != "");
      CHECK_FALSE(has_nan(r.out));
    }
}

TEST_CASE("--columns picks figures of a plan; an unknown one is wrong usage") {
  CHECK(has(ran({"plan", "--format", "csv", "--columns", "step.seconds,throughput.mfu", "-"}, kScenario).out,
            "step.seconds,throughput.mfu\n"));
  Ran r = ran({"ops", "--columns", "secnds", "-"}, kScenario);
  CHECK(r.status == 2);
  CHECK(r.out == "");
  CHECK(has(r.err, "did you mean 'seconds'?"));
}

TEST_CASE("the operators' shares sum to one, sorted and grouped or not") {
  for (std::vector<std::string> args :
       {std::vector<std::string>{"ops"}, {"ops", "--sort", "seconds"}, {"ops", "--group", "class"}}) {
    args.insert(args.end(), {"--format", "json", "-"});
    double share = 0;
    Json json = Json::parse(ran(args, kScenario).out);
    for (const auto& row : json["ops"]) share += row["share"].get<double>();
    CHECK(share == doctest::Approx(1));
  }
}

TEST_CASE("--timing goes to standard error and leaves the data alone") {
  Ran plain = ran({"plan", "--format", "json", "-"}, kScenario),
      timed = ran({"plan", "--timing", "--threads", "7", "--format", "json", "-"}, kScenario);
  CHECK(timed.out == plain.out);
  CHECK(has(timed.err, "timing: plan "));
  CHECK(has(timed.err, "timing: in all "));
  // Whatever the command; of a search how fast it was, too.
  CHECK(has(ran({"list", "model", "--timing"}).err, "timing: in all "));
  const Ran searched = ran({"search", "-", "--timing"}, kScenario);
  CHECK(has(searched.err, " candidates "));
  CHECK(has(searched.err, " per second\n"));
}

TEST_CASE("list prints the kinds and what each holds") {
  Ran kinds = ran({"list"});
  CHECK(kinds.status == 0);
  for (const char* kind : {"accelerator", "cluster", "model", "software", "calibration", "near-memory", "technique",
                           "operator-model", "scenario-field", "format"}) {
    CHECK(has(kinds.out, kind));
    Ran r = ran({"list", kind, "--format", "json"});
    CAPTURE(std::string(kind));
    CHECK(r.status == 0);
    Json entries = Json::parse(r.out)["entries"];
    CHECK(entries.size() > 0);
    CHECK(ran({"list", kind}).status == 0);
  }
}

TEST_CASE("list of an unknown kind is exit status 1 with a hint") {
  Ran r = ran({"list", "modle"});
  CHECK(r.status == 1);
  CHECK(has(r.err, "did you mean 'model'?"));
}

TEST_CASE("show prints each figure of an accelerator and a cluster with its source") {
  for (const char* name : {"a100-sxm-80gb", "dgx-a100-80gb"}) {
    Json shown = Json::parse(ran({"show", name, "--format", "json"}).out);
    CHECK(shown["format"] == "trainplan.show/1");
    CHECK(shown["name"] == name);
    CHECK(shown["figures"].size() > 5);
    for (const auto& figure : shown["figures"])
      if (!figure["unit"].is_null()) CHECK_MESSAGE(figure["source"].is_string(), figure.dump());
  }
}

TEST_CASE("show of a model counts its parameters") {
  Json shown = Json::parse(ran({"show", "gpt3-175b", "--format", "json"}).out);
  CHECK(shown["kind"] == "model");
  CHECK(shown["parameters"].get<double>() == doctest::Approx(175e9).epsilon(0.01));
  CHECK(shown["active_parameters"] == shown["parameters"]);
  CHECK(has(ran({"show", "gpt3-175b"}).out, "parameters"));
}

TEST_CASE("list and show tell the parameters of a mixture from those at work on a token") {
  Json shown = Json::parse(ran({"show", "mixtral-8x7b", "--format", "json"}).out);
  const double all = shown["parameters"], active = shown["active_parameters"];
  CHECK(all == doctest::Approx(46.7e9).epsilon(0.01));
  CHECK(active < 0.3 * all);
  Json listed = Json::parse(ran({"list", "model", "--format", "json"}).out);
  for (const auto& entry : listed["entries"]) {
    CHECK(entry["active_parameters"] <= entry["parameters"]);
    if (entry["name"] != "mixtral-8x7b") continue;
    CHECK(entry["parameters"] == all);
    CHECK(entry["active_parameters"] == active);
  }
}

TEST_CASE("show of an unknown name is exit status 1 with a hint") {
  Ran r = ran({"show", "gpt3-175"});
  CHECK(r.status == 1);
  CHECK(r.out == "");
  CHECK(has(r.err, "did you mean 'gpt3-175b'?"));
}

TEST_CASE("every catalogue entry shows") {
  for (const char* kind : {"accelerator", "cluster", "model", "software", "calibration", "near-memory", "roadmap"}) {
    Json json = Json::parse(ran({"list", kind, "--format", "json"}).out);
    for (const auto& entry : json["entries"]) {
      std::string name = std::string(kind) + "/" + entry["name"].get<std::string>();
      Ran r = ran({"show", name});
      CAPTURE(name);
      CHECK_MESSAGE(r.status == 0, r.err);
    }
  }
}

TEST_CASE("every shipped catalogue file passes check without a warning") {
  for (const char* folder :
       {"hw_profiles/accelerators", "hw_profiles/clusters", "operator_models/calibrations", "scenarios/models",
        "scenarios/software", "scenarios", "hw_profiles/roadmaps", "hw_profiles/near_memory"})
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(kSource) / folder))
      if (entry.path().extension() == ".yaml") {
        Ran r = ran({"check", entry.path().string()});
        CHECK_MESSAGE(r.status == 0, r.err);
        CHECK(r.err == "");
        CHECK(has(r.out, ": OK\n"));
      }
}

TEST_CASE("check collects the mistakes of every file") {
  Folder folder;
  std::string good = folder.write("good.yaml", kScenario),
              bad = folder.write("bad.yaml", "model: {use: nothing-like-it}\njub: 1\n");
  Ran r = ran({"check", good, bad, "no-such-file.yaml"});
  CHECK(r.status == 1);
  CHECK(r.out == good + ": OK\n");
  CHECK(has(r.err, "bad.yaml:1:"));
  CHECK(has(r.err, "bad.yaml:2:1"));
  CHECK(has(r.err, "no-such-file.yaml"));
  CHECK(ran({"check", "--quiet", good}).out == "");
  CHECK(Json::parse(ran({"check", "--format", "json", bad}).out)["diagnostics"].size() >= 2);
}

TEST_CASE("a catalogue figure without a source is a warning of check") {
  Folder folder;
  std::string text =
      "name: x\nvector_flops: 1 TFLOP/s\ncompute_units: 8  # datasheet\nclock: 1 GHz  # datasheet\nmemory: 1 GiB # "
      "datasheet\n"
      "memory_bandwidth: 1 GB/s # datasheet\ncache: 1 MiB # datasheet\npower: 1 W # datasheet\nflops: {fp16: 1 "
      "TFLOP/s} # datasheet\n";
  std::string file = folder.write("accelerators/x.yaml", text);
  Ran r = ran({"check", file});
  CHECK(r.status == 0);
  CHECK(has(r.err, "x.yaml:2:"));
  CHECK(has(r.err, "warning:"));
  CHECK(has(r.err, "has no source"));
  CHECK(ran({"check", "--quiet", file}).err == "");
}

TEST_CASE("--catalog comes before the built-in catalogue; one that is not there is a mistake") {
  Folder folder;
  folder.write("models/tiny.yaml", "layers: 2\nhidden: 64\nheads: 2\nvocab: 100\n");
  std::string catalog = folder.path.string();
  Ran shown = ran({"show", "tiny", "--catalog", catalog, "--format", "json"});
  CHECK(shown.status == 0);
  CHECK(has(ran({"list", "model", "--catalog", catalog}).out, "tiny"));
  CHECK(ran({"plan", "--catalog", catalog, "--set", "model.use=tiny", "-"}, kScenario).status == 0);
  CHECK(ran({"list", "--catalog", "/no/such/folder"}).status == 1);
}

TEST_CASE("show reads a file, and one that lies flat in a --catalog folder") {
  Folder folder;
  std::string file = folder.write("tiny.yaml", "# a toy\nlayers: 2\nhidden: 64\nheads: 2\nvocab: 100\n");
  for (std::vector<std::string> args :
       {std::vector<std::string>{"show", file}, {"show", "tiny", "--catalog", folder.path.string()}}) {
    args.insert(args.end(), {"--format", "json"});
    Ran r = ran(args);
    REQUIRE_MESSAGE(r.status == 0, r.err);
    Json shown = Json::parse(r.out);
    CHECK(shown["kind"] == "model");
    CHECK(shown["summary"] == "a toy");
  }
  CHECK(ran({"show", folder.write("job.yaml", kScenario)}).status == 1);
  CHECK(ran({"show", "nowhere.yaml"}).status == 1);
}
