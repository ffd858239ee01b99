// Stages of Megatron-LM's --pipeline-model-parallel-layout.
#include "planner/import/stage_list.h"

#include <doctest/doctest.h>

#include "dsl/node.h"
#include "dsl/node_path.h"
#include "planner/import/megatron.h"

namespace {

/// The layers of each part: "3 2 2", or "none"; a trailing '!' if prediction layers are before the last part.
std::string parts(const std::string& text) {
  const std::optional<planner::StageList> list = planner::read_stage_list(text);
  if (!list) return "none";
  std::string out;
  for (const int64_t n : list->layers) out += (out.empty() ? "" : " ") + std::to_string(n);
  return out + (list->predicts_last ? "" : "!");
}

/// Fields of the layout that a call with this list becomes, or the messages.
std::string imported(const std::string& flags) {
  const std::string call =
      "--nproc-per-node 8 --nnodes 4 --num-layers 9 --hidden-size 1024 --num-attention-heads 16 --seq-length 512 "
      "--max-position-embeddings 1024 --micro-batch-size 2 --global-batch-size 32 --vocab-size 1000 " +
      flags;
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  const dsl::Source source{"run.sh", call, "."};
  const planner::ImportedRun run = planner::import_megatron(
      {.config = &source, .launch = nullptr, .model = "", .cluster = "dgx-h100"}, sources, diagnostics);
  std::string out;
  for (const char* field : {"parallelism.interleave", "parallelism.stages"})
    if (const dsl::Node* node = dsl::node_at(run.scenario, field)) out += node->text + ";";
  for (const dsl::Diagnostic& d : diagnostics.list) out += d.message + ";";
  return out;
}

}  // namespace

TEST_CASE("a list of stages is read with its repetitions") {
  constexpr struct {
    const char *text, *parts;
  } kCases[] = {{"EttL", "2"},
                {"Ettt|tt|ttL", "3 2 2"},
                {"Et*3|(tt|)*2,mL", "3 2 2 0"},
                {"Et*3|(t*2|)*2t*10L", "3 2 2 10"},
                {"E|t|L", "0 1 0"},
                {"Et|tm|tL", "1 1 1!"},
                {"Et|t*0L", "none"},
                {"(Et|)*2L", "none"},
                {"Et|((t)*2|)*2L", "none"},
                {"Et|(t|*2L", "none"},
                {"Et|()*2L", "none"},
                {"Et*|tL", "none"},
                {"tE|L", "none"},
                {"Et|Lt", "none"},
                {"Et|xL", "none"},
                {"Et*99999999999999999999L", "none"},
                {"E(t*999|)*999L", "none"},
                {"", "none"}};
  for (const auto& c : kCases) {
    CAPTURE(std::string(c.text));
    CHECK(parts(c.text) == c.parts);
  }
}

TEST_CASE("a list of stages is the layout, and says how many parts a stage has") {
  const std::string pp = "--pipeline-model-parallel-size 2 --pipeline-model-parallel-layout ";
  constexpr struct {
    const char *list, *outcome;
  } kCases[] = {
      {"'Et*4|t*5L'", "[4, 5];"},
      {"'Et*3|(tt|)*2ttL'", "2;[3, 2, 2, 2];"},
      {"'Et*3|ttm|t*4|L' --mtp-num-layers 1",
       "2;[3, 2, 4, 0];--pipeline-model-parallel-layout: prediction layers are planned in the last stage;"},
      {"'Et*4|t*4L'", "it lists 8 layers of the model's 9;"},
      {"'Et*3|t*3|t*3L'", "3 parts are not a multiple of pp 2;"},
      {"Ettt", "expected parts of layers between E and L, such as 'Et*3|(tt|)*6ttL';"},
  };
  for (const auto& c : kCases) {
    CAPTURE(std::string(c.list));
    CHECK(imported(pp + c.list) == c.outcome);
  }
  CHECK(imported("--pipeline-model-parallel-layout Et*9L") == "");
}
