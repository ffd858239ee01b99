// What passes make of the workload, as text: a scenario and lines of its dump.
#include "planner/workload/dump.h"

#include <sstream>

#include "tests/planner/workload/lower/mixtures.h"

using sample::Sets;

namespace {

/// The lines of the first layer that begin with the number and name of an operator, without the number.
std::vector<std::string> lines_of(const planner::Scenario& s, const std::string& name) {
  std::istringstream text(planner::dump(sample::workload(s).layer()));
  std::vector<std::string> found;
  for (std::string line; std::getline(text, line);) {
    const size_t number = line.find_first_not_of(' '), blank = line.find(' ', number);
    if (line.starts_with("    ") && line.substr(blank + 1).starts_with(name + " "))
      found.push_back(line.substr(blank + 1));
  }
  return found;
}

bool holds(const std::vector<std::string>& lines, const std::string& part) {
  for (const std::string& line : lines)
    if (line.find(part) != std::string::npos) return true;
  return false;
}

struct Row {
  Sets sets;
  const char* op;
  std::vector<const char*> parts;  // each in one of its lines
};

TEST_CASE("passes write what a dump shows") {
  const std::vector<Row> rows{
      {{"parallelism.tp=2"}, "mlp.fc2.all-reduce", {"all-reduce bytes=4194304 ranks=2 inside=2", " tp"}},
      {{"parallelism.tp=2", "parallelism.sequence_parallel=true"},
       "mlp.fc1.dgrad.all-gather-input",
       {"reads=kept", " sp"}},
      {{"parallelism.tp=2"}, "mlp.fc1", {"gemm 1x2816x2048x1024 bf16", "split=column", "enters"}},
      {{"parallelism.cp=2"}, "attention.ring", {"all-gather bytes=2097152 ranks=2", " cp under="}},
      {{"parallelism.recompute=full"}, "attention.norm", {"reads=kept of=0"}},
      {{"parallelism.zero=3"}, "fsdp.reduce-scatter", {"fsdp under=block"}},
  };
  for (const Row& row : rows) {
    const auto lines = lines_of(sample::llama(row.sets), row.op);
    CAPTURE(row.op);
    REQUIRE(!lines.empty());
    for (const char* part : row.parts) CHECK_MESSAGE(holds(lines, part), part, " in ", lines.front());
  }
}

TEST_CASE("the same workload dumps to the same bytes, another one to others") {
  const auto dump = [](const Sets& sets) { return planner::dump(sample::workload(sample::llama(sets))); };
  CHECK(dump({}) == dump({}));
  CHECK(dump({}) != dump({"parallelism.tp=2"}));
  CHECK(dump({}).starts_with("workload microbatches=8 width=2 1f1b"));
}

TEST_CASE("a dump with costs has those of each operator and the seconds of each pass") {
  const auto s = sample::llama();
  const std::string text = planner::dump(planner::cost_workload(s, sample::workload(s)));
  CHECK(text.find(" | seconds=") != std::string::npos);
  CHECK(text.find("  seconds forward compute=") != std::string::npos);
}

}  // namespace
