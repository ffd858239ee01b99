// use, extends and --set laid over each other: what stays, what gives way.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/dsl/folder.h"
#include "tests/dsl/sample.h"

using sample::complete;
using sample::Run;

namespace {

struct SetRow {
  std::vector<std::string> set;
  const char *path, *value;
};

std::vector<dsl::Override> overrides(const std::vector<std::string>& texts) {
  std::vector<dsl::Override> out;
  for (const std::string& text : texts) out.push_back({text});
  return out;
}

// "a.yaml:1: message" for each mistake, files by their last step.
std::string told(const Run& run) {
  std::string out;
  for (const dsl::Diagnostic& d : run.diagnostics.list)
    out += (d.span.source ? std::filesystem::path(d.span.source->name).filename().string() : "") + ":" +
           std::to_string(d.span.line) + ": " + d.message + "\n";
  return out;
}

}  // namespace

TEST_CASE("an override reaches any depth, and the last one of a path wins") {
  const SetRow rows[] = {
      {{"job.batch=1"}, "job.batch", "1"},
      {{"job.batch=1", "job.batch=2"}, "job.batch", "2"},
      {{"job={batch: 3}"}, "job.sequence", "2048"},
      {{"job={batch: 3}"}, "job.batch", "3"},
      {{"job={batch: 3}", "job.batch=4"}, "job.batch", "4"},
      {{"job.batch=4", "job={batch: 3}"}, "job.batch", "3"},
      {{"job={}"}, "job.batch", "8"},
      {{"cluster.gpu.kernels.flash.backward=0.5"}, "cluster.gpu.kernels.flash.backward", "0.5"},
      {{"cluster.gpu.kernels.flash.backward=0.5"}, "cluster.gpu.kernels.flash.forward", "0.7"},
      {{"cluster.gpu.kernels.new.forward=0.5"}, "cluster.gpu.kernels.new.forward", "0.5"},
      {{"cluster.gpu.kernels.new.forward=0.5"}, "cluster.gpu.kernels.flash.forward", "0.7"},
      {{"cluster.gpu.kernels={new: {forward: 1}}"}, "cluster.gpu.kernels.flash.forward", "0.7"},
      {{"cluster.gpu.kernels={flash: {forward: 1}}"}, "cluster.gpu.kernels.flash.backward", "0.55"},
      {{"cluster.gpu.kernels={new: {forward: 1}}", "cluster.gpu.kernels.new.forward=0"},
       "cluster.gpu.kernels.new.forward",
       "0"},
      {{"cluster.network[0].latency=3 us"}, "cluster.network[0].latency", "3 us"},
      {{"cluster.network[0].latency=3 us"}, "cluster.network[0].bandwidth", "300 GB/s"},
      {{"cluster.network[0]={latency: 3 us}"}, "cluster.network[0].name", "nvlink"},
      {{"cluster.network=[{name: x, bandwidth: 1 GB/s}]"}, "cluster.network[0].bandwidth", "1 GB/s"},
      {{"cluster.network=[{name: x, bandwidth: 1 GB/s}]"}, "cluster.network[1].bandwidth", "none"},
      {{"cluster.network=[{name: x, bandwidth: 1 GB/s}]", "cluster.network[0].latency=2 us"},
       "cluster.network[0].latency",
       "2 us"},
      {{"cluster.network.nvlink.latency=3 us"}, "cluster.network[0].latency", "3 us"},
      {{"cluster.network.nvlink.latency=3 us"}, "cluster.network[0].bandwidth", "300 GB/s"},
      {{"cluster.network={nvlink: {latency: 3 us}}"}, "cluster.network[0].latency", "3 us"},
      {{"cluster.network=[]"}, "cluster.network[0].name", "none"},
      {{"model.use=gpt-wide"}, "model.heads", "128"},
      {{"model.use=gpt-wide", "model.heads=4"}, "model.heads", "4"},
      {{"model.heads=4", "model.use=gpt-wide"}, "model.heads", "4"},
      {{"model={use: gpt-wide}"}, "model.layers", "96"},
      {{"parallelism.tp=2"}, "parallelism.dp", "32"},
      {{"let.cards=4", "parallelism.tp=cards"}, "parallelism.tp", "4"},
      {{"let={cards: 4}", "let.cards=8", "parallelism.tp=cards"}, "parallelism.tp", "8"},
      {{"job.tokens=1e9"}, "job.tokens", "1000000000"},
      {{"job.tokens=1e9", "job.tokens=~"}, "job.tokens", "null"},
      {{"parallelism={tp: 2}", "parallelism=null"}, "parallelism.tp", "1"},
      {{"model.name= spaced "}, "model.name", "spaced"},
      {{"model.name=\"a=b\""}, "model.name", "a=b"},
      {{"model.name=a=b"}, "model.name", "a=b"},
      {{"where=tp == 1"}, "parallelism.tp", "1"},
  };
  for (const SetRow& row : rows) {
    INFO(row.set[0], " -> ", std::string(row.path));
    Run run(complete(), overrides(row.set));
    CHECK(run.errors() == "");
    CHECK(run.at(row.path) == std::string(row.value));
  }
}

TEST_CASE("an override that is none says so at its own place") {
  const struct {
    const char *set, *first;
  } rows[] = {
      {"", "1:1: expected PATH=VALUE, such as job.global_batch=2048"},
      {"job.=1", "1:5: expected PATH=VALUE, such as job.global_batch=2048"},
      {".job=1", "1:1: expected PATH=VALUE, such as job.global_batch=2048"},
      {"[0]=1", "1:1: expected PATH=VALUE, such as job.global_batch=2048"},
      {"cluster.network[]=1", "1:9: expected an item such as network[0], got 'network[]'"},
      {"cluster.network[-1]=1", "1:9: expected an item such as network[0], got 'network[-1]'"},
      {"cluster.network[0]x=1", "1:9: expected an item such as network[0], got 'network[0]x'"},
      {"cluster.network[0=1", "1:9: expected an item such as network[0], got 'network[0'"},
      {"cluster.network[2].latency=1 s", "1:9: there is no item 2 in 'network'"},
      {"cluster.gpu[0].memory=1 GB", "1:9: there is no item 0 in 'gpu'"},
      {"job.batch=2 s", "1:11: expected a whole number for job.batch, got 2 s"},
      {"job.batch=two words", "1:15: expected an operator, got 'words'"},
      {"job.batch={", "1:11: missing '}'"},
      {"job.batch=\"2", "1:11: the quote is never closed"},
      {"job.batch=!x 2", "1:11: tags are not part of the language"},
      {"job.batch=*x", "1:11: no such anchor before this alias"},
      {"job={batch: 1, batch: 2}", "1:16: duplicate key 'batch'"},
      {"job=3", "1:5: expected a map of fields for job, got '3'"},
      {"job.batch={a: 1}", "1:11: expected a whole number for job.batch, got a map"},
      {"model=gpt", "1:7: expected a map of fields for model, got 'gpt'"},
      {"model.use=[gpt]", "1:11: expected the name of a model or a file after 'use'"},
      {"job.use=gpt", "1:5: nothing can be pulled in here"},
      {"jobs.batch=1", "1:1: unknown field 'jobs'"},
      {"cluster.gpu.kernels.flash.fwd=1", "1:27: unknown field 'cluster.gpu.kernels.flash.fwd'"},
      {"cluster.gpus=", "1:1: expected a whole number for cluster.gpus, got nothing"},
      {"job.dropout=null", "1:13: expected a plain number for job.dropout, got nothing"},
      {"cluster.network[1].latency=~", "1:28: expected time for cluster.network[1].latency, got nothing"},
  };
  for (const auto& row : rows) {
    INFO(std::string(row.set));
    CHECK(Run(complete(), {{row.set}}).first() == std::string(row.first));
  }
  const std::string deep = "a" + [] {
    std::string steps;
    for (int i = 0; i < 64; ++i) steps += ".a";
    return steps;
  }();
  CHECK(Run(complete(), {{deep + "=1"}}).first() == "1:1: the path has too many steps");
  CHECK(Run(complete(), {{deep.substr(2) + "=1"}}).first() == "1:1: unknown field 'a'");
}

TEST_CASE("extends chains: the nearest file wins, maps merge, lists and scalars replace") {
  TestFolder folder;
  folder.add(
      "one.yaml",
      "let: {cards: 8, width: 2}\nmodel: {use: gpt}\njob: {sequence: 1024, batch: 1, tokens: 1e9}\n"
      "cluster: {use: dgx, gpus: cards}\nparallelism: {tp: width, stages: [1, 2, 3]}\nwhere: [tp > 1, pp > 0]\n");
  folder.add("two.yaml", "extends: one\njob: {batch: 2, tokens: ~}\nparallelism: {stages: [4]}\n");
  folder.add("three.yaml",
             "extends: ./two.yaml\nlet: {cards: 16}\njob: {batch: 3}\ncluster: {gpu: {memory: 1 GB}}\n"
             "where: [tp == 2]\n");
  const std::string text = "extends: three\njob: {precision: fp8}\nparallelism:\n";
  Run run(text, {}, sample::options(), folder.name() + "/a.yaml", folder.name());
  CHECK(run.errors() == "");
  const struct {
    const char *path, *value;
  } rows[] = {{"job.sequence", "1024"},
              {"job.batch", "3"},
              {"job.tokens", "null"},
              {"job.precision", "fp8"},
              {"cluster.gpus", "16"},
              {"cluster.gpu.memory", "1 GB"},
              {"parallelism.tp", "2"},
              {"parallelism.stages", "[4]"},
              {"parallelism.dp", "8"},
              {"cluster.network[1].latency", "5 us"},
              {"cluster.gpu.kernels.flash.forward", "0.7"}};
  for (const auto& row : rows) CHECK_MESSAGE(run.at(row.path) == std::string(row.value), row.path);
  CHECK(run.record.find("where")->expressions.size() == 1);
}

TEST_CASE("a file pulled in may extend and pull in itself, from its own folder") {
  TestFolder folder;
  folder.add("clusters/big.yaml", "extends: small.yaml\nprice: 2 USD/h\nnetwork: [{name: ring, bandwidth: 9 GB/s}]\n");
  folder.add("clusters/small.yaml",
             "gpu: {use: ../gpus/mine.yaml, memory: 3 GB}\nnetwork: [{name: a, bandwidth: 1 GB/s}]\n");
  folder.add("gpus/mine.yaml", "extends: base.yaml\nkernels: {flash: {backward: 0.2}}\n");
  folder.add("gpus/base.yaml",
             "memory: 1 GB\nkernels: {flash: {forward: 0.1, backward: 0.1}, plain: {forward: 0.3}}\n");
  Run run(
      "model: {use: gpt}\njob: {sequence: 1, batch: 1}\ncluster: {use: clusters/big.yaml, gpus: 4, price: 1 USD/h}\n",
      {{"cluster.gpu.kernels.plain.forward=0.9"}}, sample::options(), folder.name() + "/a.yaml", folder.name());
  CHECK(run.errors() == "");
  CHECK(run.at("cluster.gpu.memory") == "3 GB");
  CHECK(run.at("cluster.gpu.kernels.flash.forward") == "0.1");
  CHECK(run.at("cluster.gpu.kernels.flash.backward") == "0.2");
  CHECK(run.at("cluster.gpu.kernels.plain.forward") == "0.9");
  CHECK(run.at("cluster.network[0].name") == "ring");
  CHECK(run.record.size("cluster.network") == 1);
  CHECK(run.at("cluster.price") == "1 USD/h");
}

TEST_CASE("what cannot be extended or pulled in is told once, at its place") {
  TestFolder folder;
  folder.add("self.yaml", "extends: self.yaml\nlayers: 1\nheads: 1\n");
  folder.add("x.yaml", "extends: y.yaml\n");
  folder.add("y.yaml", "extends: x.yaml\n");
  folder.add("empty.yaml", "");
  folder.add("word.yaml", "gpt\n");
  folder.add("bad.yaml", "layers: [\n");
  folder.add("sub/m.yaml", "extends: gone.yaml\n");
  const std::string here = folder.name() + "/";
  const std::string circle = "'extends' goes round in a circle: ";
  const struct {
    std::string use, told;
  } rows[] = {
      {"self.yaml", "self.yaml:1: " + circle + here + "self.yaml -> " + here + "self.yaml\n"},
      {"x.yaml", "y.yaml:1: " + circle + here + "x.yaml -> " + here + "y.yaml -> " + here + "x.yaml\n"},
      {"empty.yaml", "a.yaml:1: '" + here + "empty.yaml' is not a map of fields\n"},
      {"word.yaml", "a.yaml:1: '" + here + "word.yaml' is not a map of fields\n"},
      {"bad.yaml", "bad.yaml:1: missing ']'\n"},
      {"sub/m.yaml", "m.yaml:1: no file '" + here + "sub/gone.yaml'\n"},
      {"gtp", "a.yaml:1: no model named 'gtp'\n"},
      {"sub/", "a.yaml:1: no file '" + here + "sub/'\n"},
      {"\"\"", "a.yaml:1: expected the name of a model or a file after 'use'\n"},
      {"~", "a.yaml:1: expected the name of a model or a file after 'use'\n"},
      {"{a: 1}", "a.yaml:1: expected the name of a model or a file after 'use'\n"},
      {"hf:gpt2", "a.yaml:1: no file '" + here + "gpt2'\n"},
  };
  for (const auto& row : rows) {
    INFO(row.use);
    Run run("model: {use: " + row.use + "}\njob: {sequence: 1, batch: 1}\ncluster: {use: dgx, gpus: 8}\n", {},
            sample::options(), here + "a.yaml", folder.name());
    CHECK(told(run) == row.told);
  }
}

TEST_CASE("the same file may be pulled in twice, side by side") {
  TestFolder folder;
  folder.add("part.yaml", "memory: 2 GB\n");
  folder.add("c1.yaml", "gpu: {use: part.yaml}\n");
  folder.add("c2.yaml", "extends: c1.yaml\ngpu: {use: part.yaml}\n");
  Run run("model: {use: gpt}\njob: {sequence: 1, batch: 1}\ncluster: {use: c2.yaml, gpus: 1}\n", {}, sample::options(),
          folder.name() + "/a.yaml", folder.name());
  CHECK(run.errors() == "");
  CHECK(run.at("cluster.gpu.memory") == "2 GB");
}

TEST_CASE("an override that a file writes is told at its place there") {
  const std::string text = R"(
model: {use: gpt}
job: {sequence: 2048, batch: 8}
cluster: {use: dgx, gpus: 64}
study:
  job.batch: 16
  cluster.network[0].latency: 3 us
  job: {sequence: 1024}
  let: {cards: 8}
  jobs.batch: 1
  job.sequence: 2 *
  job..batch: 1
)";
  struct Row {
    const char *path, *at, *value, *first;
  };
  // Lines and columns of `text`.
  const Row rows[] = {{"job.batch", "job.batch", "16", ""},
                      {"job.batch", "job.sequence", "2048", ""},
                      {"cluster.network[0].latency", "cluster.network[0].latency", "3 us", ""},
                      {"job", "job.sequence", "1024", ""},
                      {"job", "job.batch", "8", ""},
                      {"let", "job.batch", "8", ""},
                      {"jobs.batch", "job.batch", "none", "10:3: unknown field 'jobs'"},
                      {"job.sequence", "job.batch", "none", "11:20: expected a value, got the end of the expression"},
                      {"job..batch", "job.batch", "8", "12:7: expected PATH=VALUE, such as job.global_batch=2048"}};
  const dsl::Source file{"study.yaml", text, "/nowhere"};
  dsl::Diagnostics diagnostics;
  const dsl::Node tree = dsl::parse_yaml(file, diagnostics);
  CHECK(!diagnostics.has_errors());
  for (const Row& row : rows) {
    CAPTURE(std::string(row.path));
    for (const dsl::Entry& e : tree.find("study")->entries) {
      if (e.key != row.path) continue;
      const Run run(text, {{e.key, e.key_span, &e.value}});
      CHECK(run.first() == row.first);
      if (!run.diagnostics.has_errors()) CHECK(run.at(row.at) == row.value);
      for (const dsl::Diagnostic& d : run.diagnostics.list) CHECK(d.span.source->name == "study.yaml");
    }
  }
}

TEST_CASE("keys at the top that other readers take are no fields, and near misses of them are told") {
  CHECK(sample::kVocabulary.is_special("study"));
  CHECK(sample::kVocabulary.is_special("let"));
  CHECK(!dsl::Vocabulary{}.is_special("study"));
  CHECK(Run(complete("study: {cases: [{set: {model: {use: none-such}}}]}\n")).errors() == "");
  CHECK(Run(complete("stduy: {}\n")).errors().find("did you mean 'study'") != std::string::npos);
  CHECK(Run(complete("extend: x\n")).errors().find("did you mean 'extends'") != std::string::npos);
  CHECK(Run("model: {use: gpt, study: {}}\njob: {sequence: 1, batch: 8}\ncluster: {use: dgx, gpus: 64}\n").first() ==
        "1:19: unknown field 'model.study'");
}
