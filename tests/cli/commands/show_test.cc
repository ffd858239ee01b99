// `trainplan show` with names that people use, and proposals for unknown names.
#include <doctest/doctest.h>

#include "tests/cli/harness.h"
#include "tests/cli/sample_files.h"
#include "tests/dsl/folder.h"

TEST_CASE("show takes the other names of an entry, as `use` does, and says which it is") {
  struct Row {
    const char *said, *kind, *name;
  };
  for (const Row& row :
       {Row{"h100", "accelerator", "h100-sxm-80gb"}, Row{"a100", "accelerator", "a100-sxm-80gb"},
        Row{"dgx-a100", "cluster", "dgx-a100-80gb"}, Row{"accelerator/h200", "accelerator", "h200-sxm-141gb"}}) {
    CAPTURE(std::string(row.said));
    const Ran r = ran({"show", row.said, "--format", "csv"});
    CHECK(r.status == 0);
    CHECK(r.out == ran({"show", std::string(row.kind) + "/" + row.name, "--format", "csv"}).out);
    CHECK(holds(r.err, std::string("is another name of ") + row.kind + " " + row.name));
    CHECK(ran({"show", row.said, "--quiet"}).err == "");
  }
}

TEST_CASE("a file of one's own comes before another name of the catalogue's") {
  TestFolder folder;
  folder.add("h100.yaml", "name: mine\nlayers: 2\nhidden: 64\nheads: 2\nvocab: 100\n");
  const Ran r = ran({"show", "h100", "--catalog", folder.name(), "--format", "json"});
  CHECK_MESSAGE(r.status == 0, r.err);
  CHECK(holds(r.out, "\"model\""));
}

TEST_CASE("what is proposed for a name that there is not") {
  struct Row {
    const char *said, *hint;
  };
  for (const Row& row :
       {Row{"gpt", "did you mean 'gpt2', 'gpt2-large', 'gpt2-medium', 'gpt2-xl' or one of "},
        Row{"dgx", "did you mean 'dgx-1', 'dgx-2', "}, Row{"clusters", "`trainplan list cluster` prints their names"},
        Row{"model", "`trainplan list model` prints their names"}, Row{"zzz", "`trainplan list` prints the kinds"}}) {
    const Ran r = ran({"show", row.said});
    CHECK(r.status == 1);
    CHECK_MESSAGE(holds(r.err, row.hint), r.err);
  }
}

TEST_CASE("a cluster that is called as its accelerator, and software as the world calls it") {
  struct Row {
    const char *set, *hint;
  };
  const Row rows[] = {
      {"cluster.use=h100", "did you mean 'dgx-h100', 'oci-h100', 'a3-high', 'a3-mega' or one of"},
      {"cluster.use=h100-sxm-80gb", "did you mean 'a3-high', 'a3-mega', "},
      {"cluster.use=a100", "did you mean 'dgx-a100-80gb', "},
      {"cluster.use=b200", "did you mean 'dgx-b200', "},
      {"cluster.use=mi300x", "did you mean 'mi300x-oam'?"},
      {"cluster=h100", "write '{use: dgx-h100}' or '{use: oci-h100}'"},
      {"cluster=dgx-h100", "write '{use: dgx-h100}'\n"},
      {"software=megatron", "write '{use: megatron-core}' or '{use: megatron-2020}'"},
      {"software.use=Megatron-LM", "did you mean 'megatron-core', 'megatron-2020', "},
      {"software.use=pytorch", "did you mean 'pytorch-fsdp' or 'pytorch-fsdp-compile'?"},
      {"model.use=llama3", "did you mean 'llama3-70b', 'llama3-8b' or 'llama3.2-3b'?"},
      {"model.use=deepse", "did you mean 'deepseek-v2', "},
      {"model.use=dgx-h100", "it names an entry of kind cluster, which stands in cluster"},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.set));
    const Ran r = ran({"plan", "-", "--set", row.set}, kSmallJob);
    CHECK(r.status == 1);
    CHECK_MESSAGE(holds(r.err, row.hint), r.err);
  }
}
