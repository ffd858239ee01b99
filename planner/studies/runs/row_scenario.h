// From the configuration of a measured run to a scenario: a text like any other, and what had to be assumed for it.
#pragma once

#include <string>
#include <vector>

#include "dsl/catalog.h"
#include "planner/resolve/read.h"
#include "planner/studies/runs/run.h"

namespace planner {

/// A field that no column says, and the value it was given.
struct Assumption {
  std::string field, value;
};

struct RowScenario {
  std::string skipped;  // why there is no scenario; empty: there is one
  std::string yaml;     // for read_scenario
  std::string layout;   // its section `parallelism`: equal layouts have equal texts
  std::vector<Assumption> assumptions;
};

/// Rules per column: docs/accuracy.md. Reads nothing but its arguments.
RowScenario row_scenario(const RunConfig& config, const dsl::Catalog& catalog);

/// The catalogue cluster for a run's accelerator, node size and links; a row of a table (row_cluster.cc).
struct ClusterChoice {
  std::string cluster;   // empty: none fits
  bool assumed = false;  // the run crosses nodes over a link that the table does not know, or that is not stated
};
ClusterChoice choose_cluster(const RunConfig& config);

/// Fields of `model` in the order they are written, by their path below `model`; a field that no column says and that
/// is no well-known fact of the model is an assumption too. REQUIRES: layers, hidden, heads, vocab, seq_len
/// (row_model.cc).
struct ModelField {
  std::string name, value;
  bool assumed = false;
};
std::vector<ModelField> model_fields(const RunConfig& config);

/// What a training program does where its row says nothing (row_software.cc).
struct SoftwareHabits {
  const char* name;
  bool pads_vocab;         // to a multiple of 128 x tp
  bool sequence_parallel;  // with tensor parallelism
  int zero;
  bool casts_gradients;           // what travels is not what memory holds
  bool predicts_further = false;  // trains DeepSeek-V3 with its multi-token prediction layer
  const char* recompute = "";     // where the row leaves it empty; "": full for unfused attention, else none
};
SoftwareHabits software_habits(const std::string& software);

/// Fields that a published recipe of the row's release sets (row_recipe.cc), by their path in a scenario.
std::vector<ModelField> recipe_fields(const RunConfig& config);

/// A word in `overlap_flags` and the field that it sets.
struct FlagField {
  const char *word, *field, *value;
};
std::vector<FlagField> flag_fields(const std::string& overlap_flags);

std::string lower_case(std::string text);

}  // namespace planner
