// Which entries of a catalogue pull in another one.
#include "dsl/entry_users.h"

#include <doctest/doctest.h>

#include "planner/scenario/scenario.h"
#include "planner/scenario/vocabulary.h"
#include "tests/dsl/folder.h"

namespace {

using Names = std::vector<std::string>;

Names users(const dsl::Catalog& catalog, std::string_view gpu, std::string_view said) {
  dsl::Sources sources;
  return dsl::entry_users(catalog, "cluster", "gpu", {"accelerator", gpu}, said, sources);
}

}  // namespace

TEST_CASE("users of an entry: written, inherited, by another name; those that are called alike first") {
  TestFolder folder;
  folder.add("clusters/a-first.yaml", "gpu: {use: a100-sxm-80gb}\n");
  folder.add("clusters/my-a100.yaml", "gpu: {use: a100}\n");
  folder.add("clusters/heir.yaml", "extends: my-a100\ngpus_per_node: 2\n");
  folder.add("clusters/other.yaml", "extends: my-a100\ngpu: {use: h100-sxm-80gb}\n");
  folder.add("clusters/broken.yaml", "gpu: [\n");
  folder.add("clusters/circle.yaml", "extends: circle\n");
  const dsl::Catalog catalog{{.files = {}, .vocabulary = planner::vocabulary()}, {folder.name()}};
  CHECK(users(catalog, "a100-sxm-80gb", "a100") == Names{"my-a100", "a-first", "heir"});
  CHECK(users(catalog, "h100-sxm-80gb", "h100") == Names{"other"});
  CHECK(users(catalog, "v100", "v100").empty());
}

TEST_CASE("every accelerator of the catalogue that a cluster has leads to one") {
  const dsl::Catalog catalog{planner::builtin_catalog(), {}};
  CHECK(users(catalog, "h100-sxm-80gb", "h100").front() == "dgx-h100");
  CHECK(users(catalog, "a100-sxm-80gb", "a100").front() == "dgx-a100-80gb");
  CHECK(users(catalog, "b200-180gb", "b200").front() == "dgx-b200");
  CHECK(users(catalog, "mi300x-192gb", "mi300x") == Names{"mi300x-oam"});
}
