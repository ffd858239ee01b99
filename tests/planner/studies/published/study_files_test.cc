// The shipped studies: scenarios/studies/.
#include <doctest/doctest.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "planner/resolve/read.h"
#include "tests/dsl/folder.h"
#include "tests/planner/studies/published/study_sample.h"

namespace {

namespace fs = std::filesystem;
using sample::StudyRun;

const fs::path kFolder = fs::path(TRAINPLAN_SOURCE_DIR) / "scenarios/studies";

/// Fields that the dissertation names, and where. Other inputs of a study are in the catalogue with their source.
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
    "job.optimizer",                 // sections 4.1.2 and 4.2.3
    "cluster.gpus",                  // section 4.5
    "cluster.gpu.speedup",           // flop-vs-bw, section 5.3.3.6
    "software.fusion.qkv",           // section 4.6.4
    "software.overlap.gradients",    // D1 and D2, section 4.5.1
    "software.fused_collectives",    // sequential, ideal, T3 and T3-MCA, section 8.4.3
    "software.attention",            // MLPerf's BERT does not fuse it, section 8.5.3
    "software.collective_units",     // the splits of figure 8.4
    "job.phase",                     // training and prompts, section 8.5.3
    "cluster.gpu.compute_units",     // twice as many in figure 8.18
    "cluster.gpu.flops.fp16",        // which follow from them
    "cluster.network[0].bandwidth",  // a GEMM "in isolation" in figure 8.4: its collective takes no time
    "cluster.network[0].latency",    // likewise
    "parallelism.tp",
    "parallelism.dp",          // tables 4.2b and 5.1
    "parallelism.microbatch",  // B of one GPU, table 5.1
    "parallelism.recompute",
    "parallelism.recompute_every",  // section 4.4
    "software.fusion.norm",
    "software.fusion.norm_passes",
    "software.fusion.optimizer",                  // figure 6.1
    "software.optimizer_on",                      // section 6.3
    "cluster.gpu.near_memory.registers",          // four times, section 6.4
    "cluster.gpu.calibration.update_efficiency",  // 80, 90 and 100 % of the bandwidth, section 6.4
    "software.concurrency",                       // section 7.4.5
    "software.instances",                         // 2 to 16 GEMMs, section 7.5
    "cluster.gpu.cache",                          // halves and quarters of a GPU, section 7.6.6
    "model.name",
    "model.family",
    "model.operators",            // GEMMs of table 7.3
    "software.fusion.recurrent",  // section 7.5.11
    "cluster.gpu.flops.fp32",     // which follow from its compute units
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
      const auto named = [](const std::string& field) { return std::ranges::find(kNamed, field) != kNamed.end(); };
      const bool known = named(path) || named(path.substr(0, path.find('[')));  // itself, or the list that it is of
      if (slot.given && !catalogue && !known) found.insert(path);
    }
  }
  return found;
}

TEST_CASE("there is a study of each figure") {
  std::vector<std::string> names;
  for (const fs::path& file : files()) names.push_back(file.filename().string());
  for (const char* figure : {"3.14",   "4.1",  "4.2",  "4.4",  "4.5",  "4.6",  "4.7",  "4.8",  "4.9",  "5.5",
                             "5.6",    "5.8b", "5.9",  "5.10", "5.11", "5.12", "5.13", "5.14", "6.1",  "6.4",
                             "7.5.10", "7.15", "7.16", "7.17", "7.8",  "8.4",  "8.14", "8.16", "8.17", "8.18"})
    CHECK_MESSAGE(std::ranges::count(names, "pati-" + std::string(figure) + ".yaml") == 1, figure);
  CHECK(names.size() == 30);
}

TEST_CASE("a study sets only fields that the dissertation names") {
  for (const fs::path& file : files()) {
    INFO(file.filename().string());
    CHECK(fmt::format("{}", fmt::join(unnamed_fields(read(file), kFolder.string()), " ")) == "");
  }
}

/// Known misses: whoever adds one gives its cause in the study, whoever meets one takes it out here.
const std::set<std::string> kMissed{
    "fig. 3.14, B 256, utilization that half of the GEMMs stay below",
    "fig. 4.5, Ph1-B32-FP32, bandwidth of attention GEMMs",
    "fig. 4.5, Ph1-B32-FP32, bandwidth of linear and FC GEMMs",
    "fig. 5.13, 4x, serialized",
    "fig. 5.14, all-reduces of H from 2K to 64K, all-reduce",
    "fig. 6.1, unfused, bytes of Adam",
    "fig. 6.1, unfused, kernels of LayerNorm",
    "fig. 6.1, unfused, kernels of LayerNorm, forward",
    "fig. 7.15, GO 16P, GO over default of gpt2",
    "fig. 7.15, GO 16P, GO over default of gpt3",
    "fig. 7.15, GO 16P, GO over default of t-nlg",
    "fig. 7.16, CU partition 2P, tuned, tuned kernels over CU partition",
    "fig. 7.16, resource partition 2P, tuned, tuned kernels over resource partition",
    "fig. 7.16, resource partition 4P, tuned, tuned kernels over resource partition",
    "fig. 7.8, GO 16P, GEMMs more than 10 % ahead of default",
    "fig. 7.8, GO 16P, GEMMs more than 20 % ahead of default",
    "fig. 7.8, GO 16P, GEMMs that gain",
    "fig. 7.8, GO 16P, GO over default of megatron-bert",
    "fig. 7.8, GO 16P, GO over sequential of gnmt",
    "fig. 7.8, GO 16P, GO over sequential of megatron-bert",
    "fig. 7.8, GO 2P, 4k_128_1K with kernel-3",
    "fig. 7.8, GO 2P, GEMMs more than 10 % ahead of default",
    "fig. 7.8, GO 2P, GEMMs more than 20 % ahead of default",
    "fig. 7.8, GO 2P, GEMMs that gain",
    "fig. 7.8, GO 2P, GO over default of megatron-bert",
    "fig. 7.8, GO 2P, GO over sequential of gnmt",
    "fig. 7.8, GO 2P, GO over sequential of megatron-bert",
    "fig. 7.8, GO 2P, most of GO over default",
    "fig. 7.8, GO 4P, GO over default",
    "fig. 7.8, GO 4P, most of GO over default",
    "fig. 7.8, GO 8P, most of GO over default",
    "fig. 7.8, GOLDYLOC 16P, GEMMs that gain over default",
    "fig. 7.8, GOLDYLOC 16P, GOLDYLOC over GO of large GEMMs",
    "fig. 7.8, GOLDYLOC 16P, GOLDYLOC over GO",
    "fig. 7.8, GOLDYLOC 16P, GOLDYLOC over default",
    "fig. 7.8, GOLDYLOC 16P, most of GOLDYLOC over GO",
    "fig. 7.8, GOLDYLOC 16P, most of GOLDYLOC over sequential",
    "fig. 7.8, default 16P, default over sequential",
    "fig. 8.14, all sub-layers of large models, T3-MCA",
    "fig. 8.14, all sub-layers, MCA over T3",
    "fig. 8.16, all sub-layers, GEMM reads TP=16",
    "fig. 8.16, all sub-layers, GEMM reads",
    "fig. 8.16, all sub-layers, all bytes",
    "sec. 7.5.10, BERT, what GOLDYLOC gains over default",
    "sec. 7.5.10, GNMT 128, fused, what GOLDYLOC gains over fusion",
    "sec. 7.5.10, GNMT 128, what GOLDYLOC gains over default",
};

std::string name_of(const planner::StudyRow& row) {
  return row.source.substr(std::string("Pati 2024, ").size()) + ", " + row.case_name + ", " + row.expected->label;
}

TEST_CASE("the studies miss these figures, each with its cause, and nine of ten that the text does not exclude hold") {
  std::set<std::string> missed;
  std::map<char, std::array<size_t, planner::kVerdictNames.size()>> verdicts;  // by chapter
  for (const fs::path& file : files()) {
    const StudyRun run(read(file), {}, file.filename().string(), kFolder.string());
    REQUIRE_MESSAGE(run.errors() == "", run.errors());
    for (const planner::StudyRow& row : run.rows) {
      const planner::Verdict verdict = row.verdict();
      ++verdicts[file.filename().string().at(5)][static_cast<size_t>(verdict)];
      if (verdict == planner::Verdict::missed) missed.insert(name_of(row));
      const bool wants_cause = verdict != planner::Verdict::within && verdict != planner::Verdict::shown;
      CHECK_MESSAGE(wants_cause == !row.expected->why.empty(), name_of(row));
    }
  }
  CHECK(missed == kMissed);
  const auto of_chapters = [&](planner::Verdict verdict) {  // 4 and 5, of which most figures are
    return verdicts['4'][static_cast<size_t>(verdict)] + verdicts['5'][static_cast<size_t>(verdict)];
  };
  const size_t within = of_chapters(planner::Verdict::within), out = of_chapters(planner::Verdict::missed);
  CHECK(10 * within >= 9 * (within + out));
}

TEST_CASE("what holds by construction holds on any machine with any calibration and software") {
  const std::array<const char*, 9> others{"cluster.gpu.speedup=3",
                                          "cluster.gpu.memory_bandwidth=300 GB/s",
                                          "cluster.gpu.cache=1 MB",
                                          "cluster.gpu.calibration.launch=40 us",
                                          "cluster.network[0].latency=50 us",
                                          "cluster.network[0].bandwidth=3 GB/s",
                                          "cluster.gpu.calibration.update_efficiency=0.2",
                                          "cluster.gpu.calibration.concurrency.hide=[0.3, 0.6, 1]",
                                          "cluster.gpu.calibration.concurrency.cache_rate=1"};
  size_t rows = 0;
  for (const fs::path& file : files()) {
    std::string text = read(file);
    if (text.find("rests_on: construction") == std::string::npos) continue;
    if (const size_t at = text.find("\n  assumed:"); at != std::string::npos) text.resize(at + 1);
    for (const char* other : others) {
      if (std::string(other).find("concurrency") != std::string::npos && text.find("concurrency") == std::string::npos)
        continue;
      const StudyRun run(text, {{other}}, file.filename().string(), kFolder.string());
      REQUIRE_MESSAGE(run.errors() == "", run.errors());
      for (const planner::StudyRow& row : run.rows) {
        if (row.expected->rests_on != planner::RestsOn::construction) continue;
        CHECK_MESSAGE(row.holds, name_of(row), " with ", std::string(other));
        ++rows;
      }
    }
  }
  CHECK(rows > 200);
}

TEST_CASE("a figure that a number was chosen for misses with another number") {
  struct Row {
    const char *file, *other, *name;
  };
  for (const Row& r :
       {Row{"pati-8.14.yaml", "cluster.gpu.calibration.fused.t3=0.5", "fig. 8.14, all sub-layers, T3"},
        {"pati-8.14.yaml", "cluster.gpu.calibration.fused.t3_mca=5", "fig. 8.14, all sub-layers, T3-MCA"},
        {"pati-8.4.yaml", "cluster.gpu.calibration.fused.units=5", "all-reduce 72-8"},
        {"pati-6.4.yaml", "cluster.gpu.near_memory.registers=8", "GPU at peak bandwidth, speed-up of LAMB"}}) {
    const std::string text = read(kFolder / r.file);
    const StudyRun run(text.substr(0, text.find("\n  assumed:") + 1), {{r.other}}, r.file, kFolder.string());
    REQUIRE_MESSAGE(run.errors() == "", run.errors());
    size_t fitted = 0;
    for (const planner::StudyRow& row : run.rows) {
      if (row.expected->rests_on != planner::RestsOn::fit || !name_of(row).ends_with(r.name)) continue;
      ++fitted;
      CHECK_MESSAGE(!row.holds, name_of(row), " with ", std::string(r.other));
    }
    CHECK_MESSAGE(fitted > 0, std::string(r.name));
  }
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
