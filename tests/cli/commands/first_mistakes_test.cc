// Mistakes of a first hour: each says where it is and what is wrong, and its hint works when typed.
#include <doctest/doctest.h>

#include "tests/cli/harness.h"
#include "tests/dsl/folder.h"

namespace {

using Args = std::vector<std::string>;

const std::string kScenario =
    "model: {use: llama3-8b}\n"
    "job: {sequence: 8192, global_batch: 512, tokens: 1e12, precision: bf16, optimizer: adam}\n"
    "cluster: {use: dgx-h100, gpus: 64}\n"
    "software: {use: megatron-core}\n"
    "parallelism: {tp: 2, zero: 1, recompute: none}\n"
    "goal: {minimize: days, deadline: 60 d, budget: 2e6 USD}\n";

/// A part of the scenario, and what somebody writes in its place.
struct Slip {
  std::string right, wrong, place, says, hint;
  std::string typed = {};  // what the hint gives to type, if it is not what stood there
};
const Slip kSlips[] = {
    {"gpus: 64", "gpus: FILL_IN", "3:32", "unknown name 'FILL_IN'", "put a value in place of FILL_IN"},
    {"use: dgx-h100", "use: FILL_IN", "3:16", "no cluster named 'FILL_IN'", "put a name of `trainplan list cluster`"},
    {"gpus: 64", "gpus: 64 GPUs", "3:32", "unknown unit 'GPUs'", "write '64'"},
    {"gpus: 64", "gpus: $GPUS", "3:32", "variables of a shell are not filled in here", "--set let.NAME=VALUE"},
    {"gpus: 64", "gpus: 64.5", "3:32", "expected a whole number for cluster.gpus, got 64.5", ""},
    {"gpus: 64", "gpus: 0", "3:32", "cluster.gpus must be at least 1", ""},
    {", gpus: 64", "", "3:1", "missing required field cluster.gpus", "--set cluster.gpus=..."},
    {"gpus: 64", "GPUs: 64", "3:26", "unknown field 'cluster.GPUs'", "did you mean 'gpus'"},
    {"gpus: 64", "gpus 64", "3:26", "expected ':' behind 'gpus'", "write 'gpus: 64'"},
    {"gpus: 64", "gpus: 64, network: {name: ib, size: 0, bandwidth: 50 GB/s, latency: 5 us}", "3:45",
     "expected a list of maps for cluster.network, got a map", "write '[{name: ib,"},
    {"gpus: 64}", "gpus: 64", "3:32", "missing '}'", "write '64}'"},
    {"use: dgx-h100", "use: H100", "3:16", "no cluster named 'H100'", "did you mean 'dgx-h100'"},
    {"use: dgx-h100", "use: dgx-h100, price: $2/h", "3:33", "a unit stands behind its number", "write '2 USD/h'"},
    {"use: dgx-h100", "use: dgx-h100, price: 2", "3:33", "got the plain number 2", "write '2 USD/h'"},
    {"use: dgx-h100", "use: dgx-h100, node_failures: 2%", "3:41", "got the plain number 2%", "write '2%/week'"},
    {"use: dgx-h100", "use: dgx-h100, gpu: {memory: 80}", "3:40", "got the plain number 80", "write '80 GB'"},
    {"use: llama3-8b", "use: llama-3-8b", "1:14", "no model named 'llama-3-8b'", "did you mean 'llama3-8b'"},
    {"use: llama3-8b", "use: hf:./nowhere", "1:14", "no file 'nowhere'", "save its config.json"},
    {"model: {use: llama3-8b}", "model: llama3-8b", "1:8", "expected a map of fields for model, got 'llama3-8b'",
     "write '{use: llama3-8b}'"},
    {"use: megatron-core", "use: megatron-cores", "4:17", "no software named 'megatron-cores'",
     "did you mean 'megatron-core'"},
    {"tokens: 1e12", "tokens: 1T", "2:50", "'T' is no unit", "write '1e12'"},
    {"tokens: 1e12", "tokens: 1 trillion", "2:50", "'trillion' is no unit", "write '1e12'"},
    {"tokens: 1e12", "tokens: 1,000,000,000,000", "2:50", "a number has no commas", "write '1000000000000'",
     "tokens: 1000000000000"},
    {"sequence: 8192", "sequence: 8k", "2:17", "'k' is no unit", "'8 * 1024'"},
    {"sequence: 8192, ", "", "2:1", "missing required field job.sequence", "--set job.sequence=..."},
    {"global_batch: 512", "batch_size: 512", "2:23", "unknown field 'job.batch_size'", "did you mean 'global_batch'"},
    {"global_batch: 512", "global_batch = 512", "2:23", "expected ':' behind 'global_batch', got '='",
     "write 'global_batch: 512'"},
    {"precision: bf16", "precision: bfloat16", "2:67", "for job.precision, got 'bfloat16'", "write 'bf16'"},
    {"optimizer: adam", "optimizer: adamw", "2:84", "for job.optimizer, got 'adamw'", "write 'adam'"},
    {"tp: 2", "tp: two", "5:19", "unknown name 'two'", "hint"},
    {"tp: 2", "tp: -2", "5:19", "parallelism.tp must be at least 1", ""},
    {"tp: 2", "tensor_parallel: 2", "5:15", "unknown field 'parallelism.tensor_parallel'", "did you mean 'tp'"},
    {"recompute: none", "recompute: true", "5:42", "for parallelism.recompute, got 'true'", "write 'full'",
     "recompute: full"},
    {"minimize: days", "minimize: cost", "6:18", "unknown name 'cost'", "did you mean 'usd'", "minimize: usd"},
    {"minimize: days", "minimize: time", "6:18", "unknown name 'time'", "did you mean 'step'", "minimize: step"},
    {"deadline: 60 d", "deadline: 60", "6:34", "got the plain number 60", "write '60 s' or '60 d'", "deadline: 60 s"},
    {"deadline: 60 d", "deadline: 60 days", "6:37", "unknown unit 'days'", "write 'd'"},
    {"deadline: 60 d", "deadline: 2026-12-31", "6:34", "the date 2026-12-31", "d"},
    {"budget: 2e6 USD", "budget: 2M", "6:48", "'M' is no unit", "write '2e6 USD'"},
    {"budget: 2e6 USD", "budget: $2M", "6:48", "a unit stands behind its number", "write '2e6 USD'"},
    {"budget: 2e6 USD", "budget: 2e6 EUR", "6:52", "unknown unit 'EUR'", "money is in USD"},
    {"\njob:", "\n\tjob:", "2:1", "a tab", ""},
    {"\ngoal:", "\njob: {sequence: 4096}\ngoal:", "6:1", "duplicate key 'job'", "first written in line 2"},
};

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), with);
}

/// "write '64}'": "64}"; "" without a quoted text to type.
std::string typed(const std::string& hint) {
  const size_t begin = hint.find('\''), end = hint.find('\'', begin + 1);
  const bool types = hint.starts_with("write") || hint.starts_with("did you mean");
  return types && end != std::string::npos ? hint.substr(begin + 1, end - begin - 1) : "";
}

/// A command line that is wrong, and how it is right.
struct WrongLine {
  Args wrong, right;
  std::string says;
};
const WrongLine kLines[] = {
    {{"plann", "-"}, {"plan", "-"}, "did you mean 'plan'"},
    {{"plan"}, {"plan", "-"}, "SCENARIO is required"},
    {{"plan", "-", "--output-format", "csv"}, {"plan", "-", "--format", "csv"}, "did you mean '--format'"},
    {{"plan", "-", "--format", "xml"}, {"plan", "-", "--format", "json"}, "'xml' is not one of table, json"},
    {{"plan", "-", "--set", "tp=4"}, {"plan", "-", "--set", "parallelism.tp=4"}, "did you mean 'parallelism.tp'"},
    {{"plan", "-", "--set", "parallelism.tp"}, {"plan", "-", "--set", "parallelism.tp=4"}, "expected PATH=VALUE"},
    {{"plan", "-", "--vary", "price"}, {"plan", "-", "--vary", "price=0.8"}, "price=0.8"},
    {{"plan", "example:gpt3"}, {"plan", "example:gpt3-175b"}, "did you mean 'gpt3-175b'"},
    {{"search", "-", "--sort", "dayz"}, {"search", "-", "--sort", "days"}, "did you mean 'days'"},
    {{"search", "-", "--columns", "dayss"}, {"search", "-", "--columns", "days"}, "did you mean 'days'"},
    {{"clusters", "-", "--on", "awss"}, {"clusters", "-", "--on", "p5"}, "did you mean 'aws'"},
    {{"clusters", "-", "--on", "dgx_h100"}, {"clusters", "-", "--on", "dgx-h100"}, "did you mean 'dgx-h100'"},
    {{"compare", "-"}, {"compare", "-", "example:llama3-70b-h100"}, "B is required"},
    {{"export", "-", "--to", "megatron-lm"}, {"export", "-", "--to", "megatron"}, "did you mean 'megatron'"},
    {{"list", "clusterz"}, {"list", "clusters"}, "cluster"},
    {{"show", "llama3-8bb"}, {"show", "llama3-8b"}, "did you mean 'llama3-8b'"},
};

}  // namespace

TEST_CASE("a mistake in a first scenario has its place, its cause and a hint that works when typed") {
  CHECK(ran({"plan", "-", "--quiet"}, kScenario).err == "");
  for (const Slip& slip : kSlips) {
    CAPTURE(slip.wrong);
    const Ran r = ran({"plan", "-", "--quiet"}, replaced(kScenario, slip.right, slip.wrong));
    CHECK(r.status == 1);
    CHECK_MESSAGE(r.err.find("<stdin>:" + slip.place + ": error: ") != std::string::npos, r.err);
    CHECK_MESSAGE(r.err.find(slip.says) != std::string::npos, r.err);
    CHECK_MESSAGE(r.err.find(slip.hint) != std::string::npos, r.err);
    const size_t first = r.err.find(": error: ");
    CHECK_MESSAGE(r.err.find(": error: ", first + 1) == std::string::npos, r.err);  // one mistake, one message
    // The hint proposes a part of the right text, and a scenario with that text is read.
    const std::string mended = slip.typed.empty() ? slip.right : slip.typed;
    CHECK_MESSAGE((mended.find(typed(slip.hint)) != std::string::npos || slip.wrong.starts_with(slip.right)), mended);
    CHECK(ran({"plan", "-", "--quiet"}, replaced(kScenario, slip.right, mended)).status != 1);
  }
}

TEST_CASE("a wrong command line says what would be right") {
  for (const WrongLine& line : kLines) {
    CAPTURE(line.wrong);
    const Ran wrong = ran(line.wrong, kScenario);
    CHECK((wrong.status == 1 || wrong.status == 2));
    CHECK_MESSAGE((wrong.err + wrong.out).find(line.says) != std::string::npos, wrong.err);
    const Ran right = ran(line.right, kScenario);
    CHECK_MESSAGE((right.status == 0 || right.status == 3), right.err);
  }
}

TEST_CASE("a typo next to a layout that is left to a search is one message of check") {
  const std::string text = replaced(kScenario, "parallelism: {tp: 2, zero: 1, recompute: none}", "parallelism: auto");
  TestFolder folder;
  CHECK(ran({"check", folder.add("good.yaml", text)}).status == 0);
  const Ran r = ran({"check", folder.add("bad.yaml", replaced(text, "tokens", "tokenz"))});
  CHECK(r.status == 1);
  CHECK(r.err.find("unknown field 'job.tokenz'") != std::string::npos);
  CHECK_MESSAGE(r.err.find("is left to a search") == std::string::npos, r.err);
}

TEST_CASE("a task that trains all weights and adapters that have a rank are a warning") {
  const std::string adapters = replaced(kScenario, "tokens: 1e12", "tokens: 1e9, task: sft, lora: {rank: 16}");
  CHECK(ran({"plan", "-"}, adapters).err.find("job.task is sft, and job.lora.rank 16 plans adapters") !=
        std::string::npos);
  CHECK(ran({"plan", "-"}, replaced(adapters, "task: sft", "task: lora")).err.find("plans adapters") ==
        std::string::npos);
}

TEST_CASE("imports name a file that is not there, and a second launch line") {
  CHECK(ran({"import", "megatron", "nowhere.sh"}).err.find("cannot read 'nowhere.sh': no such file") !=
        std::string::npos);
  TestFolder folder;
  const std::string script =
      folder.add("trl.sh", "trl sft --model_name_or_path Qwen/Qwen3-8B --use_peft --lora_r 16\n");
  CHECK(ran({"import", "trainer", script}).out.find("rank: 16") != std::string::npos);
  const Ran two = ran({"import", "trainer", script, "accelerate launch --num_processes 1 train.py"});
  CHECK(two.status == 1);
  CHECK_MESSAGE(two.err.find("a second launch line") != std::string::npos, two.err);
}

TEST_CASE("tables of profilers are named, and what can be given instead") {
  TestFolder folder;
  const std::string nsys = folder.add("nsys.csv", "Start (ns),Duration (ns),Name\n1,2,gemm\n");
  const std::string ncu = folder.add("ncu.csv", "==PROF== Connected\n\"ID\",\"Kernel Name\"\n");
  for (const Args& args :
       {Args{"scale", nsys}, {"calibrate", "gemm", nsys, "--gpu", "h100-sxm-80gb"}, {"replay", nsys}})
    CHECK(ran(args).err.find("nsys export --type sqlite") != std::string::npos);
  for (const Args& args : {Args{"scale", ncu}, {"calibrate", "gemm", ncu, "--gpu", "h100-sxm-80gb"}})
    CHECK(ran(args).err.find("Nsight Compute is not read") != std::string::npos);
}
