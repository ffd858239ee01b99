#include "planner/scenario/update_lack.h"

#include <fmt/format.h>

namespace planner {
namespace {

const char* word_of(const Scenario& s) { return row_of(s.job.optimizer).name; }
const char* base_of(const Scenario& s) { return kBaseTypeNames[static_cast<size_t>(s.job.lora.base)]; }

/// A row says what is wrong, of which field, and what would do.
struct Conflict {
  const char* field;
  bool (*holds)(const Scenario&);
  std::string (*message)(const Scenario&);
  const char* hint;
};

constexpr Conflict kConflicts[]{
    {"job.lora.base", [](const Scenario& s) { return s.job.task == Task::qlora && s.job.lora.base == BaseType::none; },
     [](const Scenario&) {
       return std::string("task qlora holds the base weights in fewer bits, and job.lora.base is none");
     },
     "job.lora.base: nf4, or job.task: lora"},
    {"job.lora.rank",
     [](const Scenario& s) {
       return s.job.task == Task::qlora && s.job.lora.base != BaseType::none && s.job.lora.rank == 0;
     },
     [](const Scenario& s) {
       return fmt::format("{} would train the base, which is frozen in {}: without adapters (rank 0) nothing is left",
                          word_of(s), base_of(s));
     },
     "job.lora.rank: 16, or job.task: sft with job.lora.base: none"},
    {"job.lora.base", [](const Scenario& s) { return s.job.lora.base != BaseType::none && s.job.lora.rank == 0; },
     [](const Scenario& s) {
       return fmt::format("base weights in {} are those of LoRA, and job.lora.rank is 0: all weights are trained",
                          base_of(s));
     },
     "job.task: qlora, or job.lora.base: none"},
    {"parallelism.offload.optimizer",
     [](const Scenario& s) { return s.parallelism.offload.optimizer > 0 && !row_of(s.job.optimizer).products.empty(); },
     [](const Scenario& s) {
       return fmt::format("the host updates offloaded states, and multiplies no matrices for {}", word_of(s));
     },
     "parallelism.offload.optimizer: 0, or job.optimizer: adam"},
    {"parallelism.servers",
     [](const Scenario& s) { return s.parallelism.servers > 0 && !row_of(s.job.optimizer).products.empty(); },
     [](const Scenario& s) {
       return fmt::format("parameter servers update what they hold, and multiply no matrices for {}", word_of(s));
     },
     "parallelism.servers: 0, or job.optimizer: adam"},
};

}  // namespace

std::optional<Lack> update_lack(const Scenario& s) {
  for (const Conflict& row : kConflicts)
    if (row.holds(s)) return Lack{row.field, row.message(s), row.hint};
  return std::nullopt;
}

std::optional<Lack> idle_muon(const Scenario& s) {
  const Muon usual;
  if (row_of(s.job.optimizer).shards) return std::nullopt;
  const bool mode = s.job.muon.mode != usual.mode;
  if (!mode && s.job.muon.steps == usual.steps) return std::nullopt;
  const char* field = mode ? "job.muon.mode" : "job.muon.steps";
  return Lack{field, fmt::format("{} is of Muon, and job.optimizer is {}", field, word_of(s)),
              "job.optimizer: muon, or leave job.muon out"};
}

}  // namespace planner
