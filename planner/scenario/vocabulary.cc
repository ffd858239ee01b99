#include "planner/scenario/vocabulary.h"

#include <array>

#include "planner/scenario/scenario.h"

namespace planner {
namespace {

constexpr std::array kKinds{
    dsl::FileKind{"model", "models"},
    dsl::FileKind{"cluster", "clusters"},
    dsl::FileKind{"accelerator", "accelerators"},
    dsl::FileKind{"software", "software"},
    dsl::FileKind{"calibration", "calibrations"},
    dsl::FileKind{"scenario", "scenarios"},
    dsl::FileKind{"roadmap", "roadmaps"},
};
constexpr std::array kSections{"job", "model", "parallelism"};
constexpr std::array kOtherKeys{"roadmap", "study"};  // resolve/ and studies/ read them

constexpr dsl::Vocabulary kVocabulary{.kinds = kKinds,
                                      .main_kind = "scenario",
                                      .main_sections = kSections,
                                      .other_keys = kOtherKeys,
                                      .override_example = "job.global_batch=2048",
                                      .condition_example = "memory.peak <= 70 GB"};

}  // namespace

const dsl::Vocabulary& vocabulary() { return kVocabulary; }

dsl::BuiltinCatalog builtin_catalog() { return {.files = builtin_files(), .vocabulary = kVocabulary}; }

}  // namespace planner
