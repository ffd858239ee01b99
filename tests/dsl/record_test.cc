// From text to record: merging, evaluation, choices, and the way back.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "tests/dsl/sample.h"

using sample::complete;
using sample::Run;

namespace {

dsl::EvaluateOptions picking() {
  dsl::EvaluateOptions o = sample::options();
  o.pick_first = true;
  return o;
}

}  // namespace

TEST_CASE("a scenario becomes values: written, pulled in, and defaults") {
  Run run(complete("parallelism: {tp: 8, pp: 2}\n"));
  CHECK(run.errors() == "");
  CHECK(run.at("model.layers") == "96");
  CHECK(run.at("model.name") == "gpt");
  CHECK(run.at("cluster.gpu.memory") == "80 GiB");
  CHECK(run.at("cluster.network[1].latency") == "5 us");
  CHECK(run.at("cluster.network[0].latency") == "1 us");
  CHECK(run.at("cluster.gpu.kernels.flash.backward") == "0.55");
  CHECK(run.at("parallelism.dp") == "4");
  CHECK(run.at("parallelism.sequence_parallel") == "true");
  CHECK(run.at("parallelism.order") == "tp-cp-dp");
  CHECK(run.at("parallelism.stages") == "[]");
  CHECK(run.at("job.precision") == "bf16");
  CHECK(run.at("job.tokens") == "null");
  CHECK(run.at("cluster.price") == "null");
  CHECK(run.record.size("cluster.network") == 2);
  CHECK(run.record.keys("cluster.gpu.kernels") == std::vector<std::string>{"flash"});
  CHECK(run.record.size("nothing") == 0);
  CHECK(run.record.keys("nothing").empty());
}

TEST_CASE("a record is bound to its struct") {
  Run run(
      complete("let: {m: 64}\nparallelism: {tp: 8, stages: [40, 56], order: dp-cp-tp}\nwhere: tp <= m\n"
               "goal: {minimize: usd, deadline: 60 d}\n"));
  REQUIRE(run.errors() == "");
  const auto s = dsl::bind<sample::Scenario>(run.record);
  CHECK(s.model.layers == 96);
  CHECK(s.cluster.gpu.memory.value == 85899345920.0);
  CHECK(s.cluster.network.at(1).bandwidth.value == 25e9);
  CHECK(s.cluster.gpu.kernels.at("flash").forward == 0.7);
  CHECK(s.parallelism.dp == 8);
  CHECK(s.parallelism.order == sample::Order::far_first);
  CHECK(s.parallelism.stages == std::vector<int64_t>{40, 56});
  CHECK(!s.cluster.price);
  CHECK(s.goal.deadline->value == 5184000);
  CHECK(s.goal.minimize->text == "usd");
  REQUIRE(s.where.size() == 1);
  CHECK(s.where[0].text == "tp <= m");
}

TEST_CASE("slots know where they come from") {
  Run run(complete());
  const dsl::Slot* memory = run.record.find("cluster.gpu.memory");
  CHECK(memory->given);
  CHECK(memory->comment == "datasheet");
  CHECK(memory->span.source->name == "catalog:accelerators/a100.yaml");
  const dsl::Slot* dropout = run.record.find("job.dropout");
  CHECK(!dropout->given);
  CHECK(dropout->span.line == 2);
  CHECK(dropout->span.column == 1);
  CHECK(run.record.find("job.none") == nullptr);
}

TEST_CASE("fields and let may stand in any order and refer to each other") {
  Run run(
      "parallelism: {tp: half / 4, pp: model.layers / 48}\nlet: {half: cards / 2, cards: 64, list: [1, 2], p: "
      "'\"fp8\"'}\n"
      "cluster: {use: dgx, gpus: cards}\nmodel: {use: gpt}\njob: {sequence: 2048, batch: len(list), precision: p}\n");
  CHECK(run.errors() == "");
  CHECK(run.at("parallelism.tp") == "8");
  CHECK(run.at("parallelism.pp") == "2");
  CHECK(run.at("parallelism.dp") == "4");
  CHECK(run.at("job.batch") == "2");
  CHECK(run.at("job.precision") == "fp8");
  REQUIRE(run.record.let.size() == 4);
  CHECK(run.record.let[0].first == "half");
  CHECK(dsl::to_text(run.record.let[0].second) == "32");
}

TEST_CASE("keys beside use override what it pulls, deeply") {
  Run run(
      "model: {use: gpt-wide, layers: 12}\njob: {sequence: 1, batch: 1}\n"
      "cluster: {use: dgx, gpus: 8, gpu: {memory: 40 GB, kernels: {flash: {forward: 0.9}, unfused: {forward: "
      "0.3}}}}\n");
  CHECK(run.errors() == "");
  CHECK(run.at("model.layers") == "12");
  CHECK(run.at("model.heads") == "128");
  CHECK(run.at("cluster.gpu.memory") == "40 GB");
  CHECK(run.at("cluster.gpu.kernels.flash.forward") == "0.9");
  CHECK(run.at("cluster.gpu.kernels.flash.backward") == "0.55");
  CHECK(run.record.keys("cluster.gpu.kernels") == std::vector<std::string>{"flash", "unfused"});
}

TEST_CASE("extends lays a scenario over another, and lists replace lists") {
  Run run(
      "extends: base\nmodel: {use: gpt-wide}\njob: {batch: 16}\ncluster: {network: [{name: x, bandwidth: 1 GB/s}]}\n");
  CHECK(run.errors() == "");
  CHECK(run.at("model.heads") == "128");
  CHECK(run.at("job.sequence") == "2048");
  CHECK(run.at("job.batch") == "16");
  CHECK(run.at("cluster.gpus") == "8");
  CHECK(run.record.size("cluster.network") == 1);
}

TEST_CASE("overrides come last, also over pulled files, list items and use itself") {
  Run run(complete(), {{"job.batch=16"},
                       {"model.use=gpt-wide"},
                       {"cluster.network[1].bandwidth=50 GB/s"},
                       {"cluster.gpu.kernels.flash.forward=0.8"},
                       {"parallelism.tp=cluster.gpus / 16"},
                       {"parallelism.stages=[1, 2]"},
                       {"cluster.gpu={memory: 1 GB}"},
                       {"job.tokens=1e9"},
                       {"job.tokens=null"}});
  CHECK(run.errors() == "");
  CHECK(run.at("job.batch") == "16");
  CHECK(run.at("model.heads") == "128");
  CHECK(run.at("cluster.network[1].bandwidth") == "50 GB/s");
  CHECK(run.at("cluster.gpu.kernels.flash.forward") == "0.8");
  CHECK(run.at("parallelism.tp") == "4");
  CHECK(run.at("parallelism.stages") == "[1, 2]");
  CHECK(run.at("cluster.gpu.memory") == "1 GB");
  CHECK(run.at("job.tokens") == "null");
}

TEST_CASE("a mistake in an override is told at its place in the override") {
  const struct {
    const char *set, *first;
  } rows[] = {{"job.batch=0", "1:11: job.batch must be at least 1, got 0"},
              {"job.batch= 2 + x", "1:16: unknown name 'x'"},
              {"job.bach=2", "1:5: unknown field 'job.bach'"},
              {"job.batch", "1:1: expected PATH=VALUE, such as job.global_batch=2048"},
              {"=3", "1:1: expected PATH=VALUE, such as job.global_batch=2048"},
              {"job..batch=3", "1:5: expected PATH=VALUE, such as job.global_batch=2048"},
              {"job.batch=[1", "1:11: missing ']'"},
              {"job.batch=1\n2", "1:1: an override stands on one line"},
              {"cluster.network[7].latency=1 s", "1:9: there is no item 7 in 'network'"},
              {"cluster.network[x].latency=1 s", "1:9: expected an item such as network[0], got 'network[x]'"},
              {"cluster.network[99999999999].latency=1 s",
               "1:9: expected an item such as network[0], got 'network[99999999999]'"},
              {"job.batch.x=1", "1:11: expected a whole number for job.batch, got a map"},
              {"model.use=gtp", "1:11: no model named 'gtp'"},
              {"where=[step < 3]", "1:8: cannot compare time and a plain number"}};
  for (const auto& row : rows) {
    INFO(std::string(row.set));
    Run run(complete(), {{row.set}});
    CHECK(run.first() == std::string(row.first));
    if (!run.diagnostics.list.empty()) CHECK(run.diagnostics.list[0].span.source->name == "--set");
  }
}

TEST_CASE("a choice is refused, or its first value is picked and remembered") {
  const std::string text =
      complete("parallelism: {tp: [2, 4], pp: divisors(model.layers), order: [dp-cp-tp, tp-cp-dp], stages: [3, 4]}\n");
  Run refused(text);
  CHECK(refused.diagnostics.list.size() == 3);
  CHECK(refused.first() ==
        "4:19: parallelism.tp is an open choice of 2 values; plan needs one (use --pick first, or search)");
  Run picked(text, {}, picking());
  CHECK(picked.errors() == "");
  CHECK(picked.at("parallelism.tp") == "2");
  CHECK(picked.at("parallelism.pp") == "1");
  CHECK(picked.at("parallelism.order") == "dp-cp-tp");
  CHECK(picked.at("parallelism.stages") == "[3, 4]");
  REQUIRE(picked.record.choices.size() == 3);
  CHECK(picked.record.choices[0].first == "parallelism.tp");
  CHECK(Run(complete("parallelism: {tp: [4]}\n")).at("parallelism.tp") == "4");  // one value is no choice
  CHECK(Run(complete("parallelism: {tp: []}\n"), {}, picking()).first() == "4:19: parallelism.tp is an empty choice");
}

TEST_CASE("a count's default that is not whole is rounded down, a written one is refused") {
  CHECK(Run(complete("parallelism: {tp: 6}\n")).at("parallelism.dp") == "10");
  CHECK(Run(complete("parallelism: {tp: 128}\n")).at("parallelism.dp") == "1");  // 0.5: kept within its limits
  CHECK(Run(complete("parallelism: {dp: cluster.gpus / 6}\n")).diagnostics.has_errors());
}

TEST_CASE("a mistake in a default is told at the section, with the default") {
  dsl::Schema rows = sample::schema();
  for (dsl::Field& f : rows)
    if (f.path == "job.dropout") f.otherwise = "1 / (parallelism.tp - 1)";
  Run run(complete());
  dsl::Diagnostics d;
  dsl::evaluate(run.tree, rows, {}, d);
  REQUIRE(d.list.size() == 1);
  CHECK(d.list[0].message == "division by zero (in the default of job.dropout)");
  CHECK(d.list[0].span.line == 2);
}

TEST_CASE("words are bare, quoted, or come from an expression") {
  for (const char* text : {"fp8", "\"fp8\"", "'\"fp8\"'", "'if(tp == 1, \"fp8\", \"bf16\")'"}) {
    INFO(std::string(text));
    CHECK(Run("model: {use: gpt}\njob: {sequence: 1, batch: 1, precision: " + std::string(text) +
              "}\ncluster: {use: dgx, gpus: 8}\n")
              .at("job.precision") == "fp8");
  }
}

TEST_CASE("names are literal text, never expressions") {
  Run run("model: {use: gpt, name: 3 + x GB}\njob: {sequence: 1, batch: 1}\ncluster: {use: dgx, gpus: 8}\n");
  CHECK(run.errors() == "");
  CHECK(run.at("model.name") == "3 + x GB");
}

TEST_CASE("a condition is evaluated with the results of a plan") {
  Run run(
      complete("let: {limit: 70 GB}\nwhere:\n  - memory.peak <= limit\n  - tp == 1 and mfu > 0.3\n  - usd < 1 USD / "
               "(mfu - mfu)\n"));
  REQUIRE(run.errors() == "");
  const dsl::Slot* where = run.record.find("where");
  REQUIRE(where->expressions.size() == 3);
  const std::map<std::string, dsl::Value> results{
      {"memory.peak", {dsl::Number{60e9, dsl::kData}}}, {"mfu", {dsl::Number{0.4, {}}}}, {"usd", {}}};
  dsl::Diagnostics d;
  CHECK(std::get<bool>(dsl::evaluate(where->expressions[0], run.record, results, d)->v));
  CHECK(std::get<bool>(dsl::evaluate(where->expressions[1], run.record, results, d)->v));
  CHECK(d.list.empty());
  CHECK(!dsl::evaluate(where->expressions[2], run.record, results, d));
  REQUIRE(d.list.size() == 2);
  CHECK(d.list[0].message == "'usd' has no value in this plan");
  CHECK(d.list[1].message == "division by zero");
}

TEST_CASE("deep chains of references are refused, not followed into a stack overflow") {
  std::string let = "let:\n  x0: 1\n";
  for (int i = 1; i < 5000; ++i) let += "  x" + std::to_string(i) + ": x" + std::to_string(i - 1) + " + 1\n";
  std::string reversed = "let:\n";
  for (int i = 0; i < 5000; ++i) reversed += "  y" + std::to_string(i) + ": y" + std::to_string(i + 1) + " + 1\n";
  CHECK(Run(complete(let)).errors() == "");
  CHECK(Run(complete(reversed + "  y5000: 1\n")).first().find("more than 200 values refer to each other") !=
        std::string::npos);
}

TEST_CASE("the resolved scenario gives the same record, as YAML and as JSON") {
  Run run(complete("let: {cards: 64, p: '\"fp8\"', sizes: [1 GB, 2 GB]}\n"
                   "parallelism: {tp: [2, 4], stages: [40, 56], order: dp-cp-tp}\n"
                   "where: [\"tp <= 8\", 'job.precision == \"bf16\"']\ngoal: {minimize: usd, deadline: 1.5 d}\n"),
          {{"cluster.price=1.80 USD/h"}, {"cluster.gpu.kernels={x.y: {forward: 1/3}}"}}, picking());
  REQUIRE(run.errors() == "");
  const dsl::Node tree = dsl::resolved(run.record);
  CHECK(tree.entries[0].key == "let");
  CHECK(tree.find("cluster")->find("price")->text == "1.8 USD/h");
  CHECK(!tree.find("cluster")->find("price")->quoted);
  CHECK(tree.find("job")->find("precision")->quoted);
  CHECK(tree.find("job")->find("tokens") == nullptr);
  CHECK(tree.find("let")->find("p")->text == "\"fp8\"");
  Run again(sample::write(tree));
  REQUIRE(again.errors() == "");
  REQUIRE(again.record.slots.size() == run.record.slots.size());
  for (size_t i = 0; i < run.record.slots.size(); ++i) {
    INFO(run.record.slots[i].first);
    CHECK(again.record.slots[i].first == run.record.slots[i].first);
    CHECK(again.record.slots[i].second.value == run.record.slots[i].second.value);
    CHECK(again.record.slots[i].second.expressions.size() == run.record.slots[i].second.expressions.size());
  }
  CHECK(again.record.let == run.record.let);
  CHECK(sample::write(dsl::resolved(again.record)) == sample::write(tree));
}

TEST_CASE("quoted quantities and booleans are read like bare ones, as JSON writes them") {
  Run run(
      "{\"model\": {\"use\": \"gpt\"}, \"job\": {\"sequence\": 2048, \"batch\": \"8\"}, \"cluster\": {\"use\": "
      "\"dgx\", "
      "\"gpus\": 64, \"price\": \"1.8 USD/h\"}, \"parallelism\": {\"sequence_parallel\": \"true\"}}");
  CHECK(run.errors() == "");
  CHECK(run.at("cluster.price") == "1.8 USD/h");
  CHECK(run.at("parallelism.sequence_parallel") == "true");
}

TEST_CASE("any figures survive the way to the resolved text and back") {
  CHECK(rc::check("resolved round trip", [](uint32_t bytes, uint32_t nanos, uint16_t layers, uint32_t rate) {
    Run run(complete(), {{"model.layers=" + std::to_string(layers + 1)},
                         {"cluster.gpu.memory=" + std::to_string(bytes + 1u) + " B / 3 + 1 B"},
                         {"cluster.network[0].latency=" + std::to_string(nanos) + " ns / 7"},
                         {"cluster.price=" + std::to_string(rate) + " USD/h / 1000"}});
    RC_ASSERT(run.errors() == "");
    Run again(sample::write(dsl::resolved(run.record)));
    RC_ASSERT(again.errors() == "");
    for (size_t i = 0; i < run.record.slots.size(); ++i)
      RC_ASSERT(again.record.slots[i].second.value == run.record.slots[i].second.value);
  }));
}

TEST_CASE("tables and lists that would bring too many fields are refused") {
  std::string table, list;
  for (int i = 0; i < 1001; ++i) {
    table += "    k" + std::to_string(i) + ": {forward: 0.5}\n";
    list += "    - {name: x, bandwidth: 1 GB/s}\n";
  }
  const std::string head = "model: {use: gpt}\njob: {sequence: 1, batch: 1}\ncluster:\n  gpus: 8\n";
  CHECK(Run(head + "  gpu: {memory: 1 GB}\n  network:\n" + list).first() ==
        "7:5: cluster.network has more than 1000 entries");
  CHECK(Run(head + "  gpu:\n   memory: 1 GB\n   kernels:\n" + table).first() ==
        "8:5: cluster.gpu.kernels has more than 1000 entries");
}

TEST_CASE("the deepest formulas that refer to each other are refused before the stack ends") {
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "(1+1*1^";
  std::string let = "let:\n";
  for (int i = 0; i < 60; ++i)
    let += "  y" + std::to_string(i) + ": " + deep + "y" + std::to_string(i + 1) + std::string(100, ')') + "\n";
  Run run(complete(let + "  y60: 1\n"));
  CHECK(run.errors().find("expressions refer to each other too deeply") != std::string::npos);
}

TEST_CASE("no message cuts a glyph in two") {
  const std::string name = std::string(59, 'x') + "\xC3\xA9\xC3\xA9\xC3\xA9";
  Run run(complete("parallelism: {order: \"" + name + "\", \"" + name + "\": 1}\n"),
          {{"job.precision=\"" + name + "\""}});
  CHECK(run.diagnostics.list.size() == 3);
  for (const dsl::Diagnostic& d : run.diagnostics.list) CHECK(d.message.find("x\xC3...") == std::string::npos);
  Run invalid(complete(), {{"job.\xFF=1"}});
  CHECK(invalid.first() == "1:5: the text is not valid UTF-8 here");
}
