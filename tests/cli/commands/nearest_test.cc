// What `trainplan search` says where nothing is feasible.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"

using Json = nlohmann::ordered_json;

namespace {

const std::string kText = R"(model: {use: llama-13b}
job: {sequence: 4096, global_batch: 64, tokens: 1e9}
cluster: {use: dgx-a100-80gb, gpus: 8, price: 2 USD/h}
software: {use: megatron-core}
parallelism: {tp: [1, 2], microbatch: [2, 4]}
)";

const std::string kSmall = R"(model: {layers: 2, hidden: 1024, heads: 16, vocab: 51200, positions: 1024}
job: {sequence: 1024, global_batch: 4, tokens: 1e9}
cluster: {use: dgx-a100-80gb, gpus: 4, price: 2 USD/h}
parallelism: {tp: [1, 2], microbatch: [1, 2]}
)";

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> out;
  for (const auto& [key, value] : object.items()) out.push_back(key);
  return out;
}

Json empty(const std::string& more, const std::string& threads = "1") {
  const Ran r = ran({"search", "-", "--format", "json", "--threads", threads}, kText + more);
  CHECK(r.status == 3);
  CHECK(!has_nan(r.out));
  return Json::parse(r.out);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("the nearest miss: what overflows, by how much, and the cheapest change, which --set confirms") {
  const Json j = empty(""), &n = j["nearest"];
  CHECK(keys(j) == std::vector<std::string>{"format", "space", "best", "plans", "nearest", "obstacles"});
  CHECK(keys(n) == std::vector<std::string>{"choices", "excess", "violations", "overflow", "step_seconds", "days",
                                            "usd", "change", "other_changes"});
  CHECK(n["choices"]["parallelism.microbatch"] == 2);
  CHECK(n["violations"][0]["rule"] == "memory");
  CHECK(keys(n["overflow"]) ==
        std::vector<std::string>{"stage", "bytes", "more_bytes", "component", "component_bytes"});
  const double capacity = n["overflow"]["bytes"].get<double>() - n["overflow"]["more_bytes"].get<double>();
  CHECK(n["excess"].get<double>() == doctest::Approx(n["overflow"]["bytes"].get<double>() / capacity - 1));
  CHECK(keys(n["change"]) == std::vector<std::string>{"set", "gpus", "step_seconds", "more_step_seconds", "days", "usd",
                                                      "more_usd", "of", "fit_probability"});
  std::vector<std::string> args{"plan", "-", "--format", "json"};
  for (const Json* sets : {&n["choices"], &n["change"]["set"]})
    for (const auto& [path, value] : sets->items()) {
      args.emplace_back("--set");
      args.push_back(path + "=" + (value.is_string() ? value.get<std::string>() : value.dump()));
    }
  const Ran fixed = ran(args, kText);
  CHECK(fixed.status == 0);
  CHECK(Json::parse(fixed.out)["step"]["seconds"] == n["change"]["step_seconds"]);
  CHECK(empty("", "3") == j);
  const Ran page = ran({"search", "-"}, kText, 160);
  CHECK(has(page.out, "Nearest miss: tp 2, microbatch 2"));
  CHECK(has(page.out, "memory           stage 0 needs"));
  CHECK(has(page.out, "cheapest change  parallelism."));
  CHECK(!has(ran({"search", "-", "--set", "parallelism.zero=3"}, kText).out, "Nearest"));
}

TEST_CASE("a plan that fits and takes too long is nearer than one that overflows and takes a little less") {
  const std::string text =
      "model: {use: llama3-70b}\njob: {sequence: 8192, global_batch: 1024, tokens: 1e12}\n"
      "cluster: {use: hgx-h20, gpus: 256, price: 2 USD/h}\nsoftware: {use: megatron-core}\n"
      "goal: {minimize: usd, deadline: 30 d, fit: 0.8}\n";
  const Json n = Json::parse(ran({"search", "-", "--format", "json"}, text).out)["nearest"];
  CHECK(n["violations"].size() == 1);
  CHECK(n["violations"][0]["rule"] == "deadline");
  CHECK(n["overflow"].is_null());
  // Both limits at once where no plan keeps either.
  const Ran both = ran({"search", "-", "--set", "goal.budget=1 USD"}, text, 160);
  CHECK(has(both.out, " beyond its limits in all"));
}

TEST_CASE("where nothing but a price is missing, there is no miss to be near") {
  const std::string text =
      "model: {use: llama3-8b}\njob: {sequence: 8192, global_batch: 256, tokens: 1e12}\n"
      "cluster: {use: hgx-h20, gpus: 64}\ngoal: {minimize: usd}\n";
  const Ran r = ran({"search", "-"}, text);
  CHECK(r.status == 3);
  CHECK(has(r.out, "hgx-h20 has no price: give one by --prices"));
  CHECK(!has(r.out, "Nearest miss"));
}

TEST_CASE("a contradiction is told by its conditions, a rule by an example, a limit by its place") {
  const struct {
    const char *more, *says;
  } rows[] = {
      {"where: [tp > 1, tp < 2]", "<stdin>:5:9: 'tp > 1' does not hold, such as tp 1"},
      {"where: [tp > 1, tp < 2]", "<stdin>:5:17: 'tp < 2' does not hold, such as tp 2"},
      {"where: [mfu > 1]", "<stdin>:5:9: 'mfu > 1' does not hold for their results"},
      {"goal: {budget: 1 USD}", "<stdin>:5:16: the run costs more than the budget"},
      {"goal: {deadline: 1 s}", "<stdin>:5:18: the run takes longer than the deadline"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.more);
    const Ran r = ran({"search", "-"}, kSmall + row.more + "\n", 160);
    CHECK_MESSAGE(has(r.out + r.err, row.says), r.out);
  }
  const Ran none = ran({"search", "-", "--set", "parallelism.tp=[3, 5]"}, kText, 160);
  CHECK(none.status == 3);
  CHECK(!has(none.out, "Nearest"));
  CHECK(has(none.out, "tp 3 x pp 1"));
  CHECK(Json::parse(ran({"search", "-", "--format", "json", "--set", "parallelism.tp=[3, 5]"}, kText).out)["nearest"]
            .is_null());
}

TEST_CASE("plan and search give the same advice") {
  const struct {
    const char *what, *text;
  } rows[] = {
      {"ZeRO-3 that overflows",
       "model: {use: llama3-70b}\njob: {sequence: 2048, global_batch: 16}\ncluster: {use: dgx-a100-80gb, gpus: 16}\n"
       "software: {use: deepspeed}\nparallelism: {microbatch: 1, zero: 3, recompute: full}\n"},
      {"ZeRO-2 that overflows",
       "model: {use: megatron-22b}\njob: {sequence: 2048, global_batch: 64, precision: fp16}\n"
       "cluster: {use: dgx-a100-80gb, gpus: 8}\nsoftware: {use: deepspeed}\n"
       "parallelism: {zero: 2, recompute: full, microbatch: 1}\n"},
      {"with a price",
       "model: {use: llama-13b}\njob: {sequence: 4096, global_batch: 64, tokens: 1e9}\n"
       "cluster: {use: dgx-a100-80gb, gpus: 8, price: 2 USD/h}\nsoftware: {use: megatron-core}\n"
       "parallelism: {auto: false, tp: 2, microbatch: 4}\n"},
      {"two changes",
       "model: {use: llama3-70b}\njob: {sequence: 4096, global_batch: 64, tokens: 1e9}\n"
       "cluster: {use: dgx-a100-80gb, gpus: 64, price: 2 USD/h}\nsoftware: {use: megatron-core}\n"
       "parallelism: {auto: false, microbatch: 1}\n"},
      {"tuning",
       "model: {use: llama2-70b}\njob: {sequence: 4096, global_batch: 8, task: sft}\n"
       "cluster: {use: dgx-h100, gpus: 8}\nsoftware: {use: transformers}\nparallelism: {auto: false, zero: 3}\n"},
      {"nothing helps",
       "model: {use: llama3.1-405b}\njob: {sequence: 4096, global_batch: 1}\n"
       "cluster: {use: dgx-a100-80gb, gpus: 1}\nsoftware: {use: transformers-ddp}\nparallelism: {auto: false}\n"},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.what));
    const Ran plan = ran({"plan", "-", "--format", "json"}, row.text);
    const Ran search = ran({"search", "-", "--format", "json"}, row.text);
    REQUIRE(plan.status == 3);
    REQUIRE(search.status == 3);
    const std::string told = Json::parse(plan.out)["violations"][0]["message"].get<std::string>();
    const Json n = Json::parse(search.out)["nearest"];
    CAPTURE(told);
    CAPTURE(n["change"].dump());
    const auto text = [](const Json& change) {
      std::string line;
      for (const auto& [path, value] : change["set"].items())
        line +=
            (line.empty() ? "" : " and ") + path + "=" + (value.is_string() ? value.get<std::string>() : value.dump());
      return line + " (step ";
    };
    CHECK(has(told, "no change of one setting makes it fit") == n["change"].is_null());
    if (n["change"].is_null()) continue;
    CHECK(has(told, "it would fit with " +
                        (n["change"]["of"] == "job"       ? "another job: "
                         : n["change"]["of"] == "cluster" ? "other GPUs: "
                                                          : std::string()) +
                        text(n["change"])));
    for (const Json& other : n["other_changes"]) CHECK(has(told, text(other)));
  }
}
