// What programs ask of a layout: refused by a plan and by a search alike, since a release and until another.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "planner/plan/goals.h"
#include "planner/plan/violations.h"
#include "planner/resolve/recipe_rules.h"
#include "planner/search/search.h"
#include "tests/planner/search/open_sample.h"

namespace {

using sample::Sets;

constexpr const char* kMixture = R"(
model: {use: qwen3-30b-a3b}
job: {sequence: 4096, global_batch: 256}
cluster: {use: dgx-h100, gpus: 32}
software: {use: megatron-bridge, release: 26.04}
)";
constexpr const char* kDense = R"(
model: {use: llama3-8b}
job: {sequence: 4096, global_batch: 128}
cluster: {use: dgx-h100, gpus: 32}
software: {use: megatron-core}
)";
constexpr const char* kSinks = R"(
model: {use: gpt-oss-20b}
job: {sequence: 4096, global_batch: 128}
cluster: {use: dgx-h100, gpus: 32}
software: {use: megatron-core}
parallelism: {ep: 8, cp: 2, zero: 1}
)";

/// "program: 'microbatch == 1' does not hold (...)" of each violation.
std::string broken(const std::string& text, const Sets& sets) {
  std::string out;
  for (const planner::Violation& v : planner::plan_with_goals(sample::load(text, sets)).violations)
    out += v.rule + ": " + v.message + "\n";
  return out;
}

/// A row of tests/program_rules.tsv.
struct Case {
  std::string profile, part, job;
  Sets refused, taken;
};

Sets words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

std::vector<Case> cases() {
  std::ifstream file("tests/program_rules.tsv");
  std::vector<Case> out;
  std::string line;
  for (std::getline(file, line); std::getline(file, line);) {
    std::istringstream cells(line);
    std::array<std::string, 5> cell;
    for (std::string& c : cell) std::getline(cells, c, '\t');
    out.push_back({cell[0], cell[1], cell[2], words_of(cell[3]), words_of(cell[4])});
  }
  REQUIRE(out.size() > 40);
  return out;
}

/// The job of a row with the row's profile.
std::string text_of(const Case& row) {
  static const std::map<std::string, const char*> models{{"dense", "llama3-8b"},
                                                         {"mixture", "qwen3-30b-a3b"},
                                                         {"sinks", "gpt-oss-20b"},
                                                         {"latent", "deepseek-v2-lite"},
                                                         {"large", "deepseek-v3"}};
  return fmt::format(
      "model: {{use: {}}}\njob: {{sequence: 4096, global_batch: 128, precision: bf16}}\n"
      "cluster: {{use: dgx-h100, gpus: 32}}\nsoftware: {{use: {}}}\n",
      models.at(row.job), row.profile);
}

bool is_told(const planner::LoadedScenario& loaded, const std::string& source) {
  return std::ranges::any_of(planner::refusals_of_program(loaded), [&](const planner::Violation& v) {
    return v.rule == planner::kProgramRule && v.message.find(source) != std::string::npos;
  });
}

/// "FILE: SOURCE" of each rule.
std::set<std::string> rules_of_profiles() {
  const dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {}};
  std::set<std::string> out;
  for (const std::string& name : dsl::catalog_names(catalog, "software")) {
    dsl::Sources sources;
    dsl::Diagnostics diagnostics;
    const dsl::Source& source = sources.emplace_back(dsl::Source{"t.yaml", "software: {use: " + name + "}\n", ""});
    dsl::Node tree = dsl::load(source, {}, planner::scenario_pulls(), catalog, sources, diagnostics);
    for (const planner::Recipe& rule : planner::take_program_rules(tree, diagnostics))
      out.insert(rule.needs.span.source->name + ": " + rule.source);
  }
  return out;
}

}  // namespace

TEST_CASE(
    "each rule of each profile: a layout that it refuses, and the nearest that it takes (tests/program_rules.tsv)") {
  std::set<std::string> asked;
  for (const Case& row : cases()) {
    CAPTURE(row.profile + ": " + row.part);
    const planner::LoadedScenario refused = sample::load(text_of(row), row.refused);
    std::vector<dsl::Expression> named = refused.scenario.program_rules;
    std::erase_if(named, [&](const dsl::Expression& rule) { return rule.why.find(row.part) == std::string::npos; });
    REQUIRE(named.size() == 1);
    const std::string& source = named.front().why;
    CHECK(asked.insert(named.front().span.source->name + ": " + source).second);
    CHECK(is_told(refused, source));
    CHECK_FALSE(is_told(sample::load(text_of(row), sample::operator+(row.refused, row.taken)), source));
  }
  const std::set<std::string> rules = rules_of_profiles();
  std::set<std::string> untried;
  for (const std::string& rule : rules)
    if (!asked.contains(rule)) untried.insert(rule);
  for (const std::string& rule : untried) MESSAGE(rule);
  CHECK(untried.empty());
}

TEST_CASE("no program refuses the exchanges and graphs that its own recipes set, whatever the layout") {
  const Sets layouts[] = {{"parallelism.ep=1"},
                          {"parallelism.ep=8", "parallelism.pp=2"},
                          {"parallelism.ep=8", "parallelism.recompute=full", "software.graphs=none"}};
  for (const char* profile : {"megatron-core", "nemo", "megatron-bridge", "primus", "torchtitan", "deepspeed"})
    for (const char* job : {"dense", "mixture", "sinks", "latent", "large"})
      for (const char* release : {"25.09", "25.11", "26.04", "26.06"})
        for (const char* machine : {"dgx-h100", "dgx-b200", "gb300-nvl72"})
          for (const Sets& layout : layouts) {
            const Case row{.profile = profile, .part = "", .job = job, .refused = {}, .taken = {}};
            const Sets run{std::string("software.release=") + release, std::string("cluster.use=") + machine,
                           "job.precision=mxfp8"};
            const planner::LoadedScenario loaded = sample::load(text_of(row), sample::operator+(run, layout));
            for (const planner::Violation& v : planner::refusals_of_program(loaded))
              for (const char* kind : {"overlap_moe_expert_parallel_comm", "fixed shapes of a dropless mixture"})
                CHECK_MESSAGE(v.message.find(kind) == std::string::npos, profile, release, job, machine, layout.back());
          }
}

TEST_CASE("a rule holds from a release until another; without one the newest holds") {
  const Sets latent{"parallelism.ep=8", "parallelism.cp=2"};
  const std::string text =
      "model: {use: deepseek-v2-lite}\njob: {sequence: 4096, global_batch: 64}\ncluster: {use: dgx-h100, gpus: 16}\n"
      "software: {use: nemo}\n";
  const auto refused = [&](const char* release) {
    return broken(text, sample::operator+(latent, {std::string("software.release=") + release})).find("program: ") !=
           std::string::npos;
  };
  CHECK(refused("25.04"));
  CHECK_FALSE(refused("25.07"));
  CHECK_FALSE(refused("any"));
  CHECK(broken(text, latent).find("program: ") == std::string::npos);
}

TEST_CASE("stages nearer than data-parallel ranks: experts and the rest need as many ranks") {
  const Sets near{"parallelism.order=tp-cp-ep-pp-dp", "parallelism.pp=2"};
  const auto has_rule = [](const std::string& told) { return told.find("order-ranks: ") != std::string::npos; };
  CHECK(has_rule(broken(kMixture, sample::operator+(near, {"parallelism.ep=8"}))));
  CHECK_FALSE(has_rule(broken(kMixture, sample::operator+(near, {"parallelism.ep=1"}))));
  CHECK_FALSE(has_rule(broken(kMixture, {"parallelism.ep=8", "parallelism.pp=2"})));
  CHECK(has_rule(broken(kDense, sample::operator+(near, {"parallelism.cp=2"}))));
  CHECK_FALSE(has_rule(broken(kDense, near)));
  CHECK_FALSE(has_rule(broken(kDense, sample::operator+(near, {"parallelism.cp=2", "software.use=deepspeed"}))));
}

TEST_CASE("a search refuses what the program refuses, and counts it apart; an own list takes the place of the rules") {
  const Sets open{"job.task=sft", "job.document=512", "parallelism={tp: [1, 2], microbatch: [1, 2]}"};
  const planner::SearchResult all = planner::search(sample::opened(kDense, open), {.top = 9, .pareto = {}});
  CHECK(all.rejected.at("program") == 2);
  for (const planner::Found& found : all.plans) CHECK(found.parallelism.microbatch == 1);
  const planner::SearchResult none =
      planner::search(sample::opened(kDense, sample::operator+(open, {"software.rules=[]"})), {.top = 9, .pareto = {}});
  CHECK(!none.rejected.contains("program"));
  const planner::SearchResult own = planner::search(
      sample::opened(kDense, sample::operator+(open, {"software.rules=[\"tp == 2\"]"})), {.top = 9, .pareto = {}});
  CHECK(own.rejected.at("program") == 2);
}

TEST_CASE("every rule of every profile can be read, in each release that one names") {
  for (const char* software : {"megatron-core", "nemo", "megatron-bridge", "primus", "megascale", "deepseek"})
    for (const char* release : {"any", "24.07", "25.01", "25.04", "25.07", "25.11", "26.04", "26.06", "26.08"})
      for (const std::string& text : {std::string(kMixture), std::string(kDense), std::string(kSinks)}) {
        dsl::Diagnostics diagnostics;
        CAPTURE(std::string(software) + " " + release);
        CHECK(sample::try_open(text, {std::string("software={use: ") + software + ", release: " + release + "}"},
                               diagnostics));
        CHECK(diagnostics.list.empty());
      }
}

TEST_CASE("a rule holds however its scenario says what it is about: by a word, an expression, a choice or a name") {
  const std::string text = std::string(kMixture) + "parallelism: {ep: 8, recompute: full}\n";
  for (const char* graphs :
       {"software.graphs=static-parts", "software.graphs='\"static-parts\"'",
        "software.graphs=if(tp == 1, \"static-parts\", \"none\")", "software.graphs=[static-parts]"}) {
    CAPTURE(std::string(graphs));
    const std::string told = broken(text, {std::string(graphs)});
    CHECK_MESSAGE(told.find("full recompute asks for a graph") != std::string::npos, told);
  }
  CHECK(broken(text, {"software.graphs=none"}).find("full recompute") == std::string::npos);
}
