#include "tests/planner/search/result_text.h"

#include <cstdio>

#include "dsl/write.h"

namespace sample {
namespace {

using planner::Found;
using planner::Position;

std::string places(const Position& position) {
  std::string out;
  for (uint32_t at : position.at) out += std::to_string(at) + ".";
  return out;
}

void put(std::string& out, const std::vector<Found>& rows) {
  char buffer[200];
  for (const Found& f : rows) {
    std::snprintf(buffer, sizeof buffer, "%s %a %a %a %a:", places(f.position).c_str(), f.objective,
                  f.results.step.seconds, f.results.scaling_efficiency, f.results.hidden_comm);
    out += buffer;
    for (const dsl::Value& value : f.choices) out += dsl::to_text(value) + " ";
    out += "\n";
  }
}

void put(std::string& out, const char* what, std::vector<int64_t> counts) {
  while (!counts.empty() && counts.back() == 0) counts.pop_back();
  out += what;
  for (int64_t count : counts) out += " " + std::to_string(count);
  out += "\n";
}

}  // namespace

std::string text(const planner::SearchResult& r) {
  std::string out;
  for (int64_t n : {r.candidates, r.evaluated, r.feasible, r.fewest_gpus(), r.most_gpus()})
    out += std::to_string(n) + " ";
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%a\n", r.fewest_throughput);
  out += buffer;
  for (const auto& [rule, count] : r.rejected) out += rule + " " + std::to_string(count) + "\n";
  put(out, "valueless", r.valueless);
  put(out, "unmet", r.unmet);
  if (r.nearest) {
    std::snprintf(buffer, sizeof buffer, "nearest %d %a ", r.nearest->excess.overflows, r.nearest->excess.shares);
    out += buffer + places(r.nearest->position) + "\n";
  }
  put(out, r.plans);
  put(out, r.pareto);
  return out;
}

}  // namespace sample
