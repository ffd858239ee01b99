// Generated scenarios on their way to the resolved text and back.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "tests/dsl/sample.h"

using sample::Run;

namespace {

template <class... T> std::string one_of(T... texts) { return *rc::gen::element(std::string(texts)...); }

std::string number(int least, int most) { return std::to_string(*rc::gen::inRange(least, most + 1)); }

// A count, written in one of the ways that the language has.
std::string count() {
  const std::string n = number(1, 64);
  return one_of(n, n, "\"" + n + "\"", n + " + 1", "2 * " + n, "max(" + n + ")", "cards", "floor(cards / 2) + " + n);
}

std::string size() { return number(1, 900) + " " + one_of("kB", "MB", "GB", "KiB", "MiB", "GiB", "TB"); }
std::string share() { return one_of("0", "1", "0.5", "1 / 3", "0.123456789", "1e-9", number(0, 99) + " / 100"); }

std::string kernels() {
  std::string out;
  const int n = *rc::gen::inRange(0, 4);
  for (int i = 0; i < n; ++i)
    out += (i ? ", " : "") + one_of("\"flash", "\"x.y", "\"a-b", "\"w+b") + std::to_string(i) +
           "\": {forward: " + share() + (*rc::gen::arbitrary<bool>() ? ", backward: " + share() : "") + "}";
  return "{" + out + "}";
}

std::string tiers() {
  std::string out;
  const int n = *rc::gen::inRange(0, 4);
  for (int i = 0; i < n; ++i)
    out += "\n    - {name: " + one_of("nvlink", "\"a: b\"", "\"\"", "\"caf\xC3\xA9 #1\"", "12", "true", "\"~\"") +
           ", bandwidth: " + number(1, 900) + one_of(" GB/s", " Gb/s", " GiB/s", " MB/s") +
           (*rc::gen::arbitrary<bool>() ? ", latency: " + number(0, 99) + one_of(" us", " ns", " ms", " s") : "") + "}";
  return out.empty() ? " []" : out;
}

std::string scenario() {
  std::string text = "let: {cards: " + number(2, 512) + ", word: '" + one_of("\"fp8\"", "\"bf16\"") + "', parts: [" +
                     number(1, 9) + ", " + size() + "]}\n";
  text += "model: {layers: " + count() + ", heads: " + count() +
          ", name: " + one_of("gpt", "\"x y\"", "\"\"", "\"3 GB\"", "\"null\"", "\"a\\\"b\\\\c\"", "3") +
          one_of("", ", gated: true", ", gated: cards > 8", ", gated: \"cards in [2, 4]\"") + "}\n";
  text += "job: {sequence: " + count() + ", batch: " + count() + one_of("", ", tokens: 300e9", ", tokens: ~") +
          one_of("", ", precision: fp8", ", precision: word", ", precision: [fp32, fp8]") +
          one_of("", ", dropout: " + share()) + "}\n";
  text += "cluster:\n  gpus: " + count() + "\n  gpu: {memory: " + size() + ", kernels: " + kernels() +
          "}\n  network:" + tiers() + "\n" +
          one_of("", "  price: " + number(0, 99) + one_of(" USD/h", " USD/d", " USD/s") + "\n");
  text += "parallelism: {tp: " + one_of("1", "[2, 4]", "\"pow2(2, 8)\"", "divisors(cards)") +
          one_of("", ", pp: [tp, 1]", ", pp: " + count()) + one_of("", ", stages: [1, 2, cards]", ", stages: 5") +
          one_of("", ", order: dp-cp-tp", ", order: [dp-cp-tp, tp-cp-dp]") + "}\n";
  text += one_of("", "where: tp < 99\n", "where: [step < 3 s, 'job.precision == \"fp8\"', cards > 1]\n") +
          one_of("", "goal: {minimize: usd}\n", "goal: {deadline: 3 d, minimize: 2 * step / mfu}\n");
  return text;
}

dsl::EvaluateOptions picking() {
  dsl::EvaluateOptions o = sample::options();
  o.pick_first = true;
  return o;
}

void same_values(const dsl::Record& a, const dsl::Record& b) {
  RC_ASSERT(a.slots.size() == b.slots.size());
  for (size_t i = 0; i < a.slots.size(); ++i) {
    RC_ASSERT(a.slots[i].first == b.slots[i].first);
    RC_ASSERT(a.slots[i].second.value == b.slots[i].second.value);
    RC_ASSERT(a.slots[i].second.expressions.size() == b.slots[i].second.expressions.size());
    for (size_t k = 0; k < a.slots[i].second.expressions.size(); ++k)
      RC_ASSERT(a.slots[i].second.expressions[k].text == b.slots[i].second.expressions[k].text);
  }
  RC_ASSERT(a.let == b.let);
  RC_ASSERT(a.list_sizes == b.list_sizes);
  for (const auto& [path, keys] : a.map_keys) RC_ASSERT(b.keys(path) == keys);  // an empty map may be absent
}

}  // namespace

TEST_CASE("any scenario's resolved form has the same values, no open choice, and is its own resolved form") {
  CHECK(rc::check("resolved scenarios", [] {
    const std::string text = scenario();
    Run run(text, {}, picking());
    if (run.errors() != "") RC_LOG(text + run.errors());
    RC_ASSERT(run.errors() == "");
    const std::string once = sample::write(dsl::resolved(run.record));
    Run again(once);  // without picking: nothing is open any more
    if (again.errors() != "") RC_LOG(once + again.errors());
    RC_ASSERT(again.errors() == "");
    RC_ASSERT(again.record.choices.empty());
    same_values(run.record, again.record);
    RC_ASSERT(sample::write(dsl::resolved(again.record)) == once);
  }));
}

TEST_CASE("an override is as if the value stood in the file, whatever the order of the keys") {
  CHECK(rc::check("overrides are writing", [] {
    const std::string tp = count(), batch = count(), memory = size();
    const std::string head = "let: {cards: 8}\nmodel: {use: gpt}\n";
    Run set(head + "job: {sequence: 9, batch: 1}\ncluster: {use: dgx, gpus: 8}\n",
            {{"cluster.gpu.memory=" + memory}, {"parallelism.tp=" + tp}, {"job.batch=" + batch}});
    Run written("parallelism: {tp: " + tp + "}\ncluster: {gpu: {memory: " + memory +
                "}, gpus: 8, use: dgx}\njob: {batch: " + batch + ", sequence: 9}\n" + head);
    RC_ASSERT(set.errors() == "");
    RC_ASSERT(written.errors() == "");
    same_values(set.record, written.record);
  }));
}

TEST_CASE("a scenario over another one is the one with its fields replaced") {
  CHECK(rc::check("overrides and extends agree", [] {
    const std::string batch = number(1, 999), layers = number(1, 99), memory = size();
    Run extended("extends: base\njob: {batch: " + batch + "}\nmodel: {layers: " + layers +
                 "}\ncluster: {gpu: {memory: " + memory + "}}\n");
    Run set("extends: base\n",
            {{"job={batch: " + batch + "}"}, {"model.layers=" + layers}, {"cluster.gpu={memory: " + memory + "}"}});
    RC_ASSERT(extended.errors() == "");
    same_values(extended.record, set.record);
  }));
}
