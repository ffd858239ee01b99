// From the configuration of a measured run to a scenario: a text like any other, and what had to be assumed for it.
#pragma once

#include <string>
#include <vector>

#include "dsl/catalog.h"
#include "dsl/lower_case.h"
#include "planner/resolve/read.h"
#include "planner/studies/runs/run.h"

namespace planner {

/// A field without a column, and its assumed value.
struct Assumption {
  std::string field, value;
};

struct RowScenario {
  std::string skipped;  // why there is no scenario; empty: there is one
  std::string yaml;     // for read_scenario
  std::vector<Assumption> assumptions;
  std::vector<std::string> left;  // fields of empty cells, left to the profile's recipes and the defaults
};

/// Rules per column: docs/accuracy.md. Reads nothing but its arguments.
RowScenario row_scenario(const RunConfig& config, const dsl::Catalog& catalog);

/// The catalogue cluster for a run's accelerator, node size and links; a row of a table (row_cluster.cc).
struct ClusterChoice {
  std::string cluster;   // empty: none fits
  bool assumed = false;  // the run crosses nodes over a link that the table does not know, or that is not stated
};
ClusterChoice choose_cluster(const RunConfig& config);
/// The catalogue's name of a run's accelerator; in small letters the run's own where no other is known.
std::string accelerator_of(const RunConfig& config);
/// The generation of a run's accelerator in the catalogue; empty: it is not in the catalogue.
std::string generation_of(const RunConfig& config, const dsl::Catalog& catalog);

/// Fields of `model` in the order they are written, by their path below `model`. A field without a column that is not a
/// well-known fact of the model counts as an assumption too. REQUIRES: layers, hidden, heads, vocab, seq_len
/// (row_model.cc).
struct ModelField {
  std::string name, value;
  bool assumed = false;
};
std::vector<ModelField> model_fields(const RunConfig& config);

/// How cells of a training program's rows are read (row_software.cc).
struct SoftwareHabits {
  const char* name;
  bool pads_vocab = false;       // the column is the tokenizer's: trained is a multiple of 128 x tp
  bool casts_gradients = false;  // the sent precision differs from the stored one
  bool dated = false;            // without numbered releases: a row's year selects the habits
  bool always_shards = false;    // a zero_stage of 3 means FSDP; its profile defines what is sharded
};
SoftwareHabits software_habits(const std::string& software);

/// The profile of the catalogue that a row's program is, and the release that it names; "any": none.
struct ProfileOfRow {
  std::string use, release;
};
ProfileOfRow profile_of(const RunConfig& config);

/// The published lineage of a row's model, as `model.family` names it; empty: not known (row_model.cc).
std::string model_family(const RunConfig& config);

/// Tokens of a sequence that are computed, padding in a batch included (row_model.cc). REQUIRES: seq_len.
int64_t binned_length(const RunConfig& config);

/// A word in `overlap_flags` and the field that it sets.
struct FlagField {
  const char *word, *field, *value;
};
std::vector<FlagField> flag_fields(const std::string& overlap_flags);

}  // namespace planner
