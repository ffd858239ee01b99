#include "cli/pages/candidate_rows.h"

#include <algorithm>
#include <array>

namespace cli {
namespace {

using planner::Outcome;

constexpr std::array kColumns{
    OutcomeColumn{"global_batch", Unit::count, [](const Outcome& o) -> Cell { return o.global_batch; }},
    OutcomeColumn{"microbatches", Unit::count, [](const Outcome& o) -> Cell { return o.microbatches; }},
    OutcomeColumn{"step_seconds", Unit::seconds, [](const Outcome& o) -> Cell { return o.results.step.seconds; }},
    OutcomeColumn{"low_seconds", Unit::seconds, [](const Outcome& o) -> Cell { return o.results.step.low_seconds; }},
    OutcomeColumn{"high_seconds", Unit::seconds, [](const Outcome& o) -> Cell { return o.results.step.high_seconds; }},
    OutcomeColumn{"assumed_share", Unit::fraction, [](const Outcome& o) -> Cell { return o.results.errors.assumed; }},
    OutcomeColumn{"no_overlap_seconds", Unit::seconds,
                  [](const Outcome& o) -> Cell { return o.results.step.seconds + o.results.hidden_comm; }},
    OutcomeColumn{"perfect_overlap_seconds", Unit::seconds,
                  [](const Outcome& o) -> Cell { return o.results.step.seconds - o.results.exposed_comm; }},
    OutcomeColumn{"bubble", Unit::seconds, [](const Outcome& o) -> Cell { return o.results.bubble; }},
    OutcomeColumn{"exposed_comm", Unit::seconds, [](const Outcome& o) -> Cell { return o.results.exposed_comm; }},
    OutcomeColumn{"mfu", Unit::fraction, [](const Outcome& o) -> Cell { return o.results.mfu; }},
    OutcomeColumn{"scaling_efficiency", Unit::fraction,
                  [](const Outcome& o) -> Cell { return o.results.scaling_efficiency; }},
    OutcomeColumn{"peak_bytes", Unit::memory, [](const Outcome& o) -> Cell { return o.results.peak_bytes; }},
    OutcomeColumn{"headroom_bytes", Unit::memory, [](const Outcome& o) -> Cell { return o.results.headroom_bytes; }},
    OutcomeColumn{"gpus", Unit::count, [](const Outcome& o) -> Cell { return o.results.gpus; }},
    OutcomeColumn{"days", Unit::days, [](const Outcome& o) { return cell_of(o.results.days); }},
    OutcomeColumn{"usd", Unit::usd, [](const Outcome& o) { return cell_of(o.results.usd); }},
    OutcomeColumn{"kwh", Unit::kwh, [](const Outcome& o) { return cell_of(o.results.kwh); }},
};

}  // namespace

std::span<const OutcomeColumn> outcome_columns() { return kColumns; }

std::string candidate_column(const std::string& name) {
  std::string found = name;
  each_member(planner::Parallelism{}, [&](const char* member, const Cell&) {
    if (name == member) found = "parallelism." + name;
  });
  return found;
}

void name_candidate_columns(std::vector<std::string>& columns, std::string& sort) {
  for (std::string& column : columns) column = candidate_column(column);
  const size_t colon = std::min(sort.find(':'), sort.size());
  sort = candidate_column(sort.substr(0, colon)) + sort.substr(colon);
}

}  // namespace cli
