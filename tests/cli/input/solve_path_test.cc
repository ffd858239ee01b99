// Which field --solve names, and where it starts.
#include "cli/input/solve_path.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/planner/search/open_sample.h"

namespace {

const sample::Sets kOpen{"parallelism.tp=[2, 4]",
                         "parallelism.dp=cluster.gpus / tp",
                         "cluster.price=3 USD/h",
                         "cluster.network_power=0 W",
                         "cluster.network[1].bandwidth=[10 GB/s, 20 GB/s]",
                         "parallelism.microbatch=divisors(parallelism.tp)"};

std::optional<cli::SolvePath> path_of(const std::string& text, dsl::Diagnostics& diagnostics) {
  static dsl::Sources sources;
  const dsl::Source& source = sources.emplace_back(dsl::Source{"--solve", text, ""});
  static const planner::OpenScenario open = sample::opened(sample::kLlama, kOpen);
  return cli::solve_path(source, open, diagnostics);
}

}  // namespace

TEST_CASE("a numeric field by its path, the name of an item, or the role of a tier") {
  const struct {
    const char *text, *path;
    double start, least;
    bool whole;
  } rows[] = {
      {"job.sequence", "job.sequence", 2048, 1, true},
      {"cluster.price", "cluster.price", 3.0 / 3600, 0, false},
      {"cluster.gpu.memory_bandwidth", "cluster.gpu.memory_bandwidth", 2039e9, 1, false},
      {"cluster.network[0].bandwidth", "cluster.network[0].bandwidth", 300e9, 1, false},
      {"cluster.network.nvlink.bandwidth", "cluster.network[0].bandwidth", 300e9, 1, false},
      {"cluster.network.intra_node.bandwidth", "cluster.network[0].bandwidth", 300e9, 1, false},
      {"cluster.network.inter_node.bandwidth", "cluster.network[1].bandwidth", 10e9, 1, false},
      {"cluster.network.infiniband.bandwidth", "cluster.network[1].bandwidth", 10e9, 1, false},
      {"parallelism.tp", "parallelism.tp", 2, 1, true},
      {"parallelism.offload.optimizer", "parallelism.offload.optimizer", 0, 0, false},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.text));
    dsl::Diagnostics diagnostics;
    const auto found = path_of(row.text, diagnostics);
    REQUIRE(found);
    CHECK(diagnostics.list.empty());
    CHECK(found->path == row.path);
    CHECK(found->field->path.ends_with(found->path.substr(found->path.rfind('.'))));
    CHECK(found->range.start == doctest::Approx(row.start));
    CHECK(found->range.least == row.least);
    CHECK(found->range.whole == row.whole);
  }
}

TEST_CASE("what is no number to start from is told at its place") {
  const struct {
    const char *text, *says;
  } rows[] = {
      {"job.sequenc", "unknown field 'job.sequenc'"},
      {"cluster.network.ether.bandwidth", "unknown field 'cluster.network.ether.bandwidth'"},
      {"cluster.network.inter_node", "unknown field"},
      {"cluster.network[7].bandwidth", "unknown field"},
      {"", "unknown field ''"},
      {"job.precision", "job.precision is one of"},
      {"parallelism.sequence_parallel", "is true or false"},
      {"model.name", "model.name is a name"},
      {"parallelism.stages", "parallelism.stages is a list of a whole number"},
      {"goal.minimize", "goal.minimize is an expression"},
      {"goal.deadline", "goal.deadline has no value to start from"},
      {"cluster.network[0].oversubscriptio", "unknown field"},
      {"parallelism.dp", "parallelism.dp differs between candidates"},
      {"parallelism.microbatch", "parallelism.microbatch differs between candidates"},
      {"cluster.network_power", "cluster.network_power is 0: there is nothing to double"},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.text));
    dsl::Diagnostics diagnostics;
    CHECK(!path_of(row.text, diagnostics));
    REQUIRE(diagnostics.list.size() == 1);
    CHECK_MESSAGE(diagnostics.list[0].message.find(row.says) != std::string::npos, diagnostics.list[0].message);
    CHECK(diagnostics.list[0].span.line == 1);
    CHECK(diagnostics.list[0].span.source->name == "--solve");
  }
}
