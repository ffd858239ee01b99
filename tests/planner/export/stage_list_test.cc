// Stages of a pipeline as Megatron-Core lists them.
#include "planner/export/stage_list.h"

#include "planner/import/stage_list.h"
#include "planner/workload/partition.h"
#include "tests/planner/export/export_sample.h"

namespace {

planner::Scenario scenario_of(const std::vector<int64_t>& stages, int64_t pp, int64_t mtp = 0) {
  planner::Scenario s;
  s.parallelism.pp = pp;
  s.parallelism.interleave = static_cast<int64_t>(stages.size()) / pp;
  s.parallelism.stages = stages;
  for (const int64_t n : stages) s.model.layers += n;
  s.model.mtp = mtp;
  return s;
}

}  // namespace

TEST_CASE("only stages that differ in the middle, or in a chunk by more than a layer, need a list") {
  constexpr struct {
    const char* stages;
    int64_t pp;
    bool needs;
  } kCases[] = {{"10 10 10 10", 4, false}, {"8 12 12 8", 4, false},  {"9 10 11 10", 4, true}, {"7 9", 2, false},
                {"4 5 5 4", 2, false},     {"3 5 5 5", 2, true},     {"5 4 4 5", 2, true},    {"4 5 4 5", 2, true},
                {"0 1 1 0", 4, false},     {"14 13 13 14", 4, false}};
  for (const auto& c : kCases) {
    CAPTURE(std::string(c.stages));
    std::vector<int64_t> stages;
    for (const std::string& n : parts_of(c.stages, " ")) stages.push_back(std::stoll(n));
    CHECK(planner::exporting::needs_list(scenario_of(stages, c.pp)) == c.needs);
  }
  CHECK(!planner::exporting::needs_list(scenario_of({9}, 1)));
}

TEST_CASE("a list names each part once, and is read back as it was") {
  const struct {
    std::vector<int64_t> stages;
    int64_t pp, mtp;
    const char* list;
  } kCases[] = {{{9, 10, 11, 10}, 4, 0, "Et*9|t*10|t*11|t*10L"},
                {{3, 2, 2, 2, 1, 0}, 3, 0, "Et*3|(t*2|)*3t|L"},
                {{0, 1, 1, 1}, 2, 1, "E|(t|)*2tmL"},
                {{1, 2}, 2, 2, "Et|t*2m*2L"}};
  for (const auto& c : kCases) {
    const std::string list = planner::exporting::write_stage_list(scenario_of(c.stages, c.pp, c.mtp));
    CHECK(list == c.list);
    const std::optional<planner::StageList> back = planner::read_stage_list(list);
    REQUIRE(back);
    CHECK(back->layers == c.stages);
    CHECK(back->predicts_last);
  }
}
