// Numbers of GPUs on which no layout divides the batch: compared with separate searches of every batch near it.
#include "planner/resolve/other_batches.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "planner/resolve/with_layout.h"
#include "tests/planner/texts.h"

using planner::OtherBatch;
using planner::SearchResult;

namespace {

std::string question(const std::string& gpus, const std::string& rest = "", int64_t batch = 64) {
  return "model: {use: llama3-8b}\njob: {sequence: 4096, global_batch: " + std::to_string(batch) +
         ", tokens: 1e11}\ncluster: {use: dgx-h100, gpus: " + gpus +
         "}\nparallelism: {auto: true, recompute: full, cp: 1, order: tp-cp-ep-dp-pp, zero: 1}\n" + rest;
}

/// A question with what the policy opens of it.
struct Opened {
  explicit Opened(const std::string& text)
      : texts(text, {}), read(planner::read_with_layout(texts.text(), planner::Opens::unwritten, texts.diagnostics)) {
    REQUIRE_MESSAGE(read, texts.told());
  }
  planner::ScenarioText text() {
    const planner::ScenarioText of = texts.text();
    return {of.source, read->overrides, of.catalog, of.sources};
  }
  SearchResult found() const { return planner::search(read->scenario, {.top = 1, .pareto = {}}); }
  sample::Texts texts;
  std::optional<planner::WithLayout> read;
};

std::optional<OtherBatch> other(const std::string& text, int64_t gpus) {
  Opened opened(text);
  return planner::other_batch(opened.text(), gpus, {});
}

/// The least of the goal with a batch; infinite where nothing is feasible.
double least_with(int64_t gpus, int64_t batch, const std::string& rest) {
  const SearchResult found = Opened(question(std::to_string(gpus), rest, batch)).found();
  if (found.plans.empty()) return std::numeric_limits<double>::infinity();
  return rest.empty() ? found.plans.front().results.step.seconds / static_cast<double>(batch)
                      : found.plans.front().objective;
}

/// What a user would find by trying every batch within a quarter.
int64_t batch_by_hand(int64_t gpus, int64_t batch, const std::string& rest) {
  std::map<int64_t, double> worth;
  for (int64_t b = batch * 4 / 5; 4 * b <= 5 * batch; ++b)
    if (5 * b >= 4 * batch && b != batch) worth[b] = least_with(gpus, b, rest);
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [b, here] : worth) least = std::min(least, here);
  int64_t nearest = 0;
  for (const auto& [b, here] : worth)
    if (here <= 1.05 * least && (nearest == 0 || std::abs(b - batch) < std::abs(nearest - batch))) nearest = b;
  return std::isfinite(least) ? nearest : 0;
}

}  // namespace

TEST_CASE("the batch that is offered is what trying all of them finds") {
  for (const char* rest : {"", "goal: {minimize: usd}\n"})
    for (const int64_t gpus : {37, 74}) {
      CAPTURE(rest);
      CAPTURE(gpus);
      const int64_t by_hand = batch_by_hand(gpus, 64, rest);
      const auto offered = other(question(std::to_string(gpus), rest), gpus);
      REQUIRE(offered.has_value());
      CHECK(offered->gpus == gpus);
      CHECK(offered->batch == by_hand);
      CHECK(offered->results.gpus == gpus);
      CHECK(offered->results.tokens_per_second > 0);
    }
}

TEST_CASE("nothing is offered where a layout works, where none near the batch does, or none may") {
  CHECK_FALSE(other(question("[32, 37]"), 32).has_value());
  // 41 ranks of data, and 16 sequences: no multiple of 41 is within a quarter.
  CHECK_FALSE(other(question("41", "", 16), 41).has_value());
  CHECK_FALSE(other(question("37", "goal: {minimize: usd, deadline: 1 h}\n"), 37).has_value());
  // The layout works, and does not fit: another batch is not the answer.
  CHECK_FALSE(other(question("8", "software: {use: megatron-core, memory: {context: 78 GiB}}\n"), 8).has_value());
}

TEST_CASE("numbers of GPUs without a plan are those of the choice, or the one, whose batch is a number") {
  Opened choice(question("[32, 37, 64, 74]"));
  const SearchResult found = choice.found();
  CHECK(found.feasible_gpus == std::vector<int64_t>{32, 64});
  CHECK(planner::gpus_without_plan(choice.read->scenario, found) == std::vector<int64_t>{37, 74});
  Opened one(question("37"));
  CHECK(planner::gpus_without_plan(one.read->scenario, one.found()) == std::vector<int64_t>{37});
  Opened open_batch(question("37") + "where: [job.global_batch > 0]\n");
  CHECK(planner::gpus_without_plan(open_batch.read->scenario, open_batch.found()) == std::vector<int64_t>{37});
  std::string text = question("[32, 37]");
  text.replace(text.find("global_batch: 64"), 16, "global_batch: [64, 128]");
  Opened batches(text);
  CHECK(planner::gpus_without_plan(batches.read->scenario, batches.found()).empty());
}
