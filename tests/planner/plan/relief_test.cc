// Changes that make a plan fit: each proposed change does so when it is made, costs what is printed, and the cheapest
// comes first.
#include "planner/plan/relief.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "planner/plan/fits.h"
#include "tests/planner/sample.h"

namespace {

using planner::Plan;
using planner::Relief;
using planner::Scenario;

const std::string kFit = "it would fit with ", kNothing = "no change of one setting makes it fit, and none of two";

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string memory_message(const Plan& plan) {
  for (const planner::Violation& v : plan.violations)
    if (v.rule == "memory") return v.message;
  return "";
}

bool has_memory_violation(const Scenario& s) { return !memory_message(planner::make_plan(s)).empty(); }
/// As a change has to fit: as probably as a search asks for.
bool overflows(const Scenario& s) { return planner::overflow_of(*planner::make_plan(s).memory).has_value(); }

/// What the words of a violation mean for the scenario.
const std::map<std::string, std::function<void(planner::Parallelism&)>>& changes() {
  auto share = [](planner::Parallelism& p, int64_t planner::Parallelism::*degree) {
    const bool whole = p.zero_group == p.dp;
    p.*degree *= 2;
    p.dp /= 2;
    if (whole) p.zero_group = p.dp;
  };
  static const std::map<std::string, std::function<void(planner::Parallelism&)>> all{
      {"parallelism.sequence_parallel=true", [](auto& p) { p.sequence_parallel = true; }},
      {"parallelism.zero=1", [](auto& p) { p.zero = 1; }},
      {"parallelism.zero=3", [](auto& p) { p.zero = 3; }},
      {"parallelism.recompute=selective", [](auto& p) { p.recompute = planner::Recompute::selective; }},
      {"parallelism.recompute=full", [](auto& p) { p.recompute = planner::Recompute::full; }},
      {"half the microbatch", [](auto& p) { p.microbatch /= 2; }},
      {"twice the tensor parallelism and half the data parallelism",
       [=](auto& p) { share(p, &planner::Parallelism::tp); }},
      {"twice the expert parallelism", [](auto& p) { p.ep *= 2; }},
      {"twice the tensor parallelism of experts", [](auto& p) { p.etp *= 2; }},
      {"twice the pipeline stages and half the data parallelism",
       [=](auto& p) { share(p, &planner::Parallelism::pp); }},
  };
  return all;
}

Scenario changed_by(const Scenario& s, const Relief& relief) {
  Scenario other = s;
  for (const planner::SingleChange* change : relief.changes) {
    REQUIRE_MESSAGE(changes().contains(change->text), change->text);
    changes().at(change->text)(other.parallelism);
  }
  return other;
}

/// Dense models and one with experts, of several layouts, in memories that some of them overflow.
std::vector<Scenario> scenarios() {
  std::vector<Scenario> all;
  for (const char* layout : {"{tp: 1, microbatch: 8}", "{tp: 2, microbatch: 8}", "{tp: 1, pp: 2, microbatch: 4}"})
    for (const char* memory : {"2 GiB", "4 GiB", "6 GiB", "8 GiB", "12 GiB", "16 GiB"})
      all.push_back(sample::gpt({std::string("parallelism=") + layout, std::string("cluster.gpu.memory=") + memory}));
  for (const char* memory : {"64 GiB", "80 GiB", "100 GiB"})
    all.push_back(sample::llama({"model.experts={count: 64, top_k: 2, ffn: 8192}", "cluster.gpus=32",
                                 "parallelism={tp: 4, ep: 2, etp: 1, microbatch: 1, sequence_parallel: true}",
                                 std::string("cluster.gpu.memory=") + memory}));
  return all;
}

}  // namespace

TEST_CASE("each change that is found makes the plan fit, and takes the time that is said") {
  std::set<std::string> fields;
  for (const Scenario& s : scenarios()) {
    const double before = planner::make_unchecked_plan(s).step->seconds;
    for (const Relief& relief : planner::reliefs(s)) {
      CAPTURE(relief.text());
      const Scenario other = changed_by(s, relief);
      CHECK(!has_memory_violation(other));
      CHECK(planner::make_plan(other).step->seconds == doctest::Approx(before * (1 + relief.slower)));
      if (has_memory_violation(s)) fields.insert(relief.changes[0]->field);
    }
  }
  // Not sharding and pipelines alone: recomputation, smaller microbatches and the cut of experts.
  for (const char* field : {"parallelism.zero", "parallelism.recompute", "parallelism.microbatch", "parallelism.tp",
                            "parallelism.pp", "parallelism.ep", "parallelism.etp"})
    CHECK_MESSAGE(fields.contains(field), field);
}

TEST_CASE("changes stand in the order of what they cost, and a change that is left out does not fit") {
  for (const Scenario& s : scenarios()) {
    const std::vector<Relief> found = planner::reliefs(s);
    CHECK(std::ranges::is_sorted(found, {}, &Relief::slower));
    for (const planner::SingleChange& change : planner::single_changes()) {
      Scenario other = s;
      if (change.text.empty() || !planner::apply_change(change, other)) continue;
      if (planner::broken_layout_rule(other) || other.parallelism.interleave != s.parallelism.interleave) continue;
      CAPTURE(change.text);
      const auto is_it = [&](const Relief& r) { return r.changes == std::vector{&change}; };
      CHECK(std::ranges::count_if(found, is_it) == (overflows(other) ? 0 : 1));
    }
  }
}

TEST_CASE("the message of a plan that overflows names three changes at most, with their price") {
  int told = 0;
  for (const Scenario& s : scenarios()) {
    const Plan plan = planner::make_advised_plan(s);
    const std::string message = memory_message(plan);
    REQUIRE(message.empty() != has_memory_violation(s));
    if (message.empty()) continue;
    CAPTURE(message);
    const std::vector<Relief> found = planner::reliefs(s);
    CHECK(has(message, kNothing) == found.empty());
    for (size_t i = 0; i < std::min<size_t>(found.size(), 3); ++i)
      CHECK(has(message, fmt::format("{} (step {:+.1f} %)", found[i].text(), found[i].slower * 100)));
    told += !found.empty();
    if (!found.empty()) CHECK(has(message, kFit + found[0].text()));
  }
  CHECK(told > 5);
}

TEST_CASE("two changes are told where no single one is enough, and never two of one setting") {
  int pairs = 0;
  for (const Scenario& s : scenarios()) {
    const std::vector<Relief> found = planner::reliefs(s);
    for (const Relief& relief : found) {
      CHECK(relief.changes.size() == found[0].changes.size());
      if (relief.changes.size() < 2) continue;
      ++pairs;
      CHECK(relief.changes[0]->field != relief.changes[1]->field);
      for (const planner::SingleChange* alone : relief.changes) {
        Scenario other = s;
        changes().at(alone->text)(other.parallelism);
        if (!planner::broken_layout_rule(other)) CHECK(overflows(other));
      }
    }
  }
  CHECK(pairs > 0);
}

TEST_CASE("a change that its text does not say whole is not told") {
  for (const planner::SingleChange& change : planner::single_changes()) {
    if (change.text.empty() || !change.text.starts_with("parallelism.")) continue;
    const size_t equals = change.text.find('=');
    REQUIRE(equals != std::string::npos);
    CHECK(change.text.substr(0, equals) == change.field);
  }
}

TEST_CASE("a text with the change that is told written into it fits") {
  const std::vector<std::string> sets{"parallelism={tp: 1, microbatch: 8}", "cluster.gpu.memory=12 GiB"};
  int tried = 0;
  for (const Relief& relief : planner::reliefs(sample::gpt(sets))) {
    if (!relief.text().starts_with("parallelism.")) continue;  // "half the microbatch"
    std::vector<std::string> with = sets;
    with.push_back(relief.text());
    CHECK(!has_memory_violation(sample::gpt(with)));
    ++tried;
  }
  CHECK(tried > 0);
}

TEST_CASE("where nothing helps it says so, and a plan that fits is left alone") {
  const std::string message = memory_message(planner::make_advised_plan(sample::gpt({"cluster.gpu.memory=0.1 GiB"})));
  CHECK(has(message, kNothing + ": use more GPUs"));
  CHECK(!has(message, kFit));
  CHECK(planner::make_advised_plan(sample::gpt()).violations.empty());
}
