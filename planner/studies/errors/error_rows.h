// Measured runs as the error model sees them: what family and group a run is of, and how far its plans were off.
//
// Jobs that were measured with several layouts.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "planner/scenario/error_model.h"
#include "planner/scenario/scenario.h"

namespace planner {

/// A family's name: software, generation, kind and width of jobs.
struct FamilyKey {
  std::string software, generation;
  JobKind kind = JobKind::dense;
  int64_t width = 16;
  auto operator<=>(const FamilyKey&) const = default;
};
std::string text_of(const FamilyKey& key);

struct ErrorRow {
  std::string id, group;
  FamilyKey family;
  double shipped = 0;    // ln(measured / planned), of the catalogue as it is
  double left_out = 0;   // of a catalogue that was fitted without the row's family
  double operators = 0;  // standard error from the operators
  RunSize size;
  std::string job;  // model, task and program lineage: runs of one job differ in their layout
  Parallelism layout;
};

/// Returns the families of one software with the data of their rows, in the form of a catalogue file. `ratio` selects
/// one of a row's ratios.
std::vector<ErrorFamily> families_of(const std::vector<const ErrorRow*>& rows, double ErrorRow::*ratio);

/// Runs of one layout, their means.
struct MeasuredLayout {
  const Parallelism* layout = nullptr;                    // of one of the rows
  double runs = 0, ratio = 0, measured = 0, planned = 0;  // logarithms; ratio: measured / planned

  void add(const ErrorRow& row);
};
using Layouts = std::vector<MeasuredLayout>;

/// Returns the layouts of each job.
std::map<std::string, Layouts> layouts_of_jobs(const std::vector<ErrorRow>& rows);

}  // namespace planner
