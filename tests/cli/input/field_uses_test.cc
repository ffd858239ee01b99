// Where a field is written and read.
#include "cli/input/field_uses.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "planner/scenario/scenario.h"
#include "tests/dsl/folder.h"

namespace {

const dsl::Field& field(std::string_view path) {
  return *std::ranges::find(planner::scenario_schema(), path, &dsl::Field::path);
}

cli::Session session_of(std::vector<std::string> directories = {}) {
  return {.sources = {}, .diagnostics = {}, .catalog = {planner::builtin_catalog(), std::move(directories)}};
}

cli::FieldUses uses(std::string_view path, std::vector<std::string> directories = {}) {
  cli::Session session = session_of(std::move(directories));
  return cli::uses_of(field(path), session);
}

bool has(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

TEST_CASE("entries of every kind that holds a field set it, and no other does") {
  const cli::FieldUses clock = uses("cluster.gpu.clock");
  CHECK(has(clock.entries, "accelerator/h100-sxm-80gb"));
  CHECK(std::ranges::none_of(clock.entries, [](const std::string& e) { return e.starts_with("model/"); }));
  CHECK(has(uses("model.layers").entries, "model/gpt3-175b"));
  CHECK(uses("job.sequence").entries.empty());  // of scenarios alone
}

TEST_CASE("a field in a list is written where its first item is") {
  CHECK(has(uses("cluster.network[].bandwidth").entries, "cluster/dgx-h100"));
  CHECK(!uses("cluster.network[].bandwidth").examples.empty());
}

TEST_CASE("an entry of one's own counts") {
  TestFolder folder;
  folder.add("models/mine.yaml", "name: mine\nlayers: 2\nhidden: 64\nheads: 2\nvocab: 100\n");
  CHECK(has(uses("model.vocab", {folder.name()}).entries, "model/mine"));
  CHECK(!has(uses("model.vocab").entries, "model/mine"));
}

TEST_CASE("a default that names a field, by its path or by its last part, reads it") {
  CHECK(has(uses("parallelism.tp").read_by, "parallelism.dp"));
  CHECK(has(uses("job.sequence").read_by, "job.document"));
  CHECK(!has(uses("parallelism.tp").read_by, "parallelism.tp"));
  for (const dsl::Field& f : planner::scenario_schema())
    for (const std::string& reader : uses(f.path).read_by)
      CHECK_MESSAGE(field(reader).otherwise.find(dsl::last_part(f.path)) != std::string::npos, f.path << " " << reader);
}

TEST_CASE("an example is named with the line that writes the field") {
  for (const cli::FieldLine& line : uses("parallelism.pp").examples) {
    CHECK(line.file.starts_with("example:"));
    CHECK(line.line > 0);
    CHECK(!line.value.empty());
  }
}

TEST_CASE("a program's setting is that of its own table") {
  CHECK(has(uses("parallelism.tp").settings, "torchtitan parallelism.tensor_parallel_degree"));
  CHECK(has(uses("parallelism.pp").settings, "megatron --pipeline-model-parallel-size"));
  CHECK(uses("cluster.gpus").settings.empty());
}
