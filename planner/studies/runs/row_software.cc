// How runs.csv writes about training programs: which of the catalogue's profiles one is, and what its cells mean.
#include <fmt/format.h>

#include <array>
#include <cctype>

#include "planner/resolve/recipe_rules.h"
#include "planner/studies/runs/row_scenario.h"

namespace planner {
namespace {

constexpr std::array kHabits{
    SoftwareHabits{.name = "megatron-2020", .pads_vocab = true},
    SoftwareHabits{.name = "megatron-2021", .pads_vocab = true},
    SoftwareHabits{.name = "other", .pads_vocab = true},
    SoftwareHabits{.name = "megatron-deepspeed", .pads_vocab = true},
    SoftwareHabits{.name = "megatron-deepspeed-vtrain", .pads_vocab = true},
    SoftwareHabits{.name = "megatron-core", .pads_vocab = true},
    SoftwareHabits{.name = "nemo", .pads_vocab = true},
    SoftwareHabits{.name = "megatron-bridge", .pads_vocab = true},
    SoftwareHabits{.name = "simumax-megatron", .pads_vocab = true},
    SoftwareHabits{.name = "composer-fsdp-pure", .casts_gradients = true, .always_shards = true},
    SoftwareHabits{.name = "composer-fsdp", .always_shards = true},
    SoftwareHabits{.name = "torchtitan", .dated = true, .always_shards = true},
    SoftwareHabits{.name = "torchtitan-compile", .dated = true, .always_shards = true},
    SoftwareHabits{.name = "torchtitan-asynctp", .dated = true, .always_shards = true},
    SoftwareHabits{.name = "automodel", .always_shards = true},
    SoftwareHabits{.name = "maxtext", .always_shards = true},
};

constexpr int64_t kAnyYear = 10000;

/// Settings of a program's rows of a model, in addition to `software` (README of runs.csv). The first matching row is
/// taken.
struct ProfileRow {
  const char *software, *model, *framework;  // the word of the column; part of model_name and framework, lower case
  const char *use, *release;                 // empty: as the columns say
  int64_t before = kAnyYear;                 // the year of the program
};
constexpr std::array kProfiles{
    ProfileRow{"megatron-2021", "gpt2", "", "megatron-2020", "any"},  // scaling rows of the README of September 2020
    ProfileRow{"megatron-2021", "", "megatron-deepspeed", "megatron-deepspeed", "any"},  // DeepSpeed's pipeline engine
    ProfileRow{"other", "", "deepspeed", "deepspeed-2021", "any", 2022},                 // gathers of lists of tensors
    ProfileRow{"other", "", "deepspeed", "deepspeed", "any"},  // of programs without a profile
    ProfileRow{"nemo", "(mlperf)", "", "nemo-mlperf", "any"},  // submissions, of NeMo's code at their date
};

/// The first release that a text names: "25.01" of "NeMo (25.01 container)".
std::string release_in(const std::string& text) {
  for (size_t dot = text.find('.'); dot != std::string::npos; dot = text.find('.', dot + 1)) {
    if (dot < 2 || (dot > 2 && std::isdigit(static_cast<unsigned char>(text[dot - 3])))) continue;
    for (const size_t length : {8, 5, 4})
      if (const std::string word = text.substr(dot - 2, length); word.size() == length && parse_release(word))
        return word;
  }
  return std::string(kAnyRelease);
}

constexpr std::array kFlags{
    FlagField{"overlap-grad-reduce", "software.overlap.gradients", "true"},
    FlagField{"overlap_grad_sync", "software.overlap.gradients", "true"},
    FlagField{"overlap-param-gather", "software.overlap.parameters", "true"},
    FlagField{"overlap_param_sync", "software.overlap.parameters", "true"},
    FlagField{"tp-comm-overlap", "software.overlap.tensor", "true"},
    FlagField{"tp_comm_overlap", "software.overlap.tensor", "true"},
    FlagField{"pp overlap", "software.overlap.pipeline", "true"},
    FlagField{"p2p overlap", "software.overlap.pipeline", "true"},
    FlagField{"Interleaved1F1B", "parallelism.interleave", "2"},  // torchtitan: two stages a rank
    FlagField{"parallel transformer block", "model.parallel_block", "true"},
    FlagField{"float8 all-gather", "software.gather_bytes", "1"},
};

}  // namespace

SoftwareHabits software_habits(const std::string& software) {
  for (const SoftwareHabits& row : kHabits)
    if (software == row.name) return row;
  return {.name = ""};
}

ProfileOfRow profile_of(const RunConfig& config) {
  ProfileOfRow out{config.software, release_in(config.framework)};
  if (out.release == kAnyRelease && config.year && software_habits(config.software).dated)
    out.release = fmt::format("{:02}.x", *config.year % 100);
  const std::string model = dsl::lower_case(config.model_name), framework = dsl::lower_case(config.framework);
  const auto fits = [&](const ProfileRow& row) {
    return config.software == row.software && model.find(row.model) != std::string::npos &&
           framework.find(row.framework) != std::string::npos && config.year.value_or(kAnyYear - 1) < row.before;
  };
  for (const ProfileRow& row : kProfiles) {
    if (!fits(row)) continue;
    if (*row.use) out.use = row.use;
    out.release = row.release;
    break;
  }
  return out;
}

std::vector<FlagField> flag_fields(const std::string& overlap_flags) {
  std::vector<FlagField> out;
  for (const FlagField& row : kFlags)
    if (overlap_flags.find(row.word) != std::string::npos) out.push_back(row);
  return out;
}

}  // namespace planner
