// The shipped studies: scenarios/studies/.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "planner/resolve/read.h"
#include "tests/dsl/folder.h"
#include "tests/planner/studies/published/study_sample.h"

namespace {

namespace fs = std::filesystem;
using sample::StudyRun;

const fs::path kFolder = fs::path(TRAINPLAN_SOURCE_DIR) / "scenarios/studies";

/// Fields that the dissertation names, and where. Whatever else a study needs stands in the catalogue with its source.
constexpr std::array kNamed{
    "model.layers",
    "model.hidden",
    "model.heads",
    "model.ffn",      // table 4.2a
    "model.vocab",    // the embedding, section 4.2
    "model.dropout",  // DR, table 4.2b
    "job.sequence",
    "job.global_batch",  // n and B, table 4.2a
    "job.precision",
    "job.optimizer",               // sections 4.1.2 and 4.2.3
    "cluster.gpus",                // section 4.5
    "cluster.gpu.speedup",         // flop-vs-bw, section 5.3.3.6
    "software.fusion.qkv",         // section 4.6.4
    "software.overlap.gradients",  // D1 and D2, section 4.5.1
    "parallelism.tp",
    "parallelism.dp",          // tables 4.2b and 5.1
    "parallelism.microbatch",  // B of one GPU, table 5.1
    "parallelism.recompute",
    "parallelism.recompute_every",  // section 4.4
};

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<fs::path> files() {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(kFolder)) out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

/// Fields of the scenario and of each case that neither the catalogue nor the table above vouches for.
std::set<std::string> unnamed_fields(const std::string& text, const std::string& directory) {
  StudyRun run("", {}, "", "");  // its catalogue and sources
  run.diagnostics = {};
  const dsl::Source& source = run.sources.emplace_back(dsl::Source{"study.yaml", text, directory});
  const auto study = planner::read_study(source, run.catalog, run.sources, run.diagnostics);
  REQUIRE_MESSAGE(study, run.errors());
  std::set<std::string> found;
  std::vector<std::vector<dsl::Override>> sets(1);
  for (const planner::Case& c : study->cases) {
    sets.emplace_back();
    for (const dsl::Entry& e : c.set) sets.back().push_back({e.key, e.key_span, &e.value});
  }
  for (const auto& overrides : sets) {
    const auto open = planner::read_open_scenario(source, overrides, run.catalog, run.sources, run.diagnostics);
    REQUIRE_MESSAGE(open, run.errors());
    for (const auto& [path, slot] : open->space.record().slots) {
      const bool catalogue = slot.span.source && slot.span.source->name.starts_with("catalog:");
      if (slot.given && !catalogue && std::ranges::find(kNamed, path) == kNamed.end()) found.insert(path);
    }
  }
  return found;
}

TEST_CASE("there is a study of each figure") {
  std::vector<std::string> names;
  for (const fs::path& file : files()) names.push_back(file.filename().string());
  for (const char* figure : {"4.1", "4.2", "4.4", "4.5", "4.6", "4.7", "4.8", "4.9", "5.5", "5.6", "5.8b", "5.9",
                             "5.10", "5.11", "5.12", "5.13", "5.14"})
    CHECK_MESSAGE(std::ranges::count(names, "pati-" + std::string(figure) + ".yaml") == 1, figure);
  CHECK(names.size() == 17);
}

TEST_CASE("a study sets only fields that the dissertation names") {
  for (const fs::path& file : files()) {
    INFO(file.filename().string());
    CHECK(unnamed_fields(read(file), kFolder.string()) == std::set<std::string>{});
  }
}

TEST_CASE("of chapter 4's figures four of five hold, required or not") {
  size_t all = 0, held = 0;
  for (const fs::path& file : files()) {
    if (!file.filename().string().starts_with("pati-4")) continue;
    const StudyRun run(read(file), {}, file.filename().string(), kFolder.string());
    REQUIRE_MESSAGE(run.errors() == "", run.errors());
    for (const planner::StudyRow& row : run.rows) {
      if (row.expected->trend) continue;
      ++all;
      held += row.holds;
    }
  }
  CHECK(all >= 40);
  CHECK(held * 5 >= all * 4);
}

TEST_CASE("what a study may not set is found wherever it is written") {
  TestFolder folder;
  folder.add("fast.yaml", "extends: ddp-apex\nlaunch: 1 us\n");
  folder.add("ring.yaml", "extends: pcie4-mi100-128\ngpu: {calibration: {launch: 1 us}}\n");
  const std::string text = read(kFolder / "pati-4.1.yaml");
  const auto with = [&](const std::string& what, const std::string& by) {
    std::string changed = text;
    const size_t at = changed.find(what);
    REQUIRE(at != std::string::npos);
    return unnamed_fields(changed.replace(at, what.size(), by), folder.name());
  };
  using Fields = std::set<std::string>;
  CHECK(with("gpus: 1}", "gpus: 1, gpu: {memory_bandwidth: 9 TB/s}}") == Fields{"cluster.gpu.memory_bandwidth"});
  CHECK(with("{use: ddp-apex}", "{use: ddp-apex, launch: 1 us}") == Fields{"software.launch"});
  CHECK(with("{use: ddp-apex}", "{use: fast}").contains("software.launch"));
  CHECK(with("{use: ddp-apex}", "{use: ./fast.yaml}").contains("software.launch"));
  CHECK(with("use: pcie4-mi100-128", "use: ring").contains("cluster.gpu.calibration.launch"));
  CHECK(with("set: {job.global_batch: 4}", "set: {cluster.gpu.calibration.gemm.fp32.roofline_efficiency: 0.9}") ==
        Fields{"cluster.gpu.calibration.gemm.fp32.roofline_efficiency"});
  CHECK(with("set: {job.global_batch: 4}", "set: {software.use: fast}").contains("software.launch"));
  folder.add("base.yaml", text + "operator_models: {gemm: roofline}\n");
  CHECK(unnamed_fields("extends: base.yaml\n", folder.name()).contains("operator_models.gemm"));
}

}  // namespace
