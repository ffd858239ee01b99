// What a trace measured of kernels bound by memory, as a table that `calibrate vector` reads.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>
#include <utility>

#include "planner/replay/kernel_work.h"
#include "planner/replay/measured_operators.h"
#include "planner/replay/site.h"
#include "planner/replay/vector_shapes.h"

namespace planner::replay {
namespace {

constexpr size_t kMostNamed = 5;  // operators that a note names

std::string row_of(const Moved& m) {
  return fmt::format("{},{},{},{},{},{:.0f},{:.0f}", m.op, m.rows, m.columns, hw_profiles::name(m.precision),
                     m.backward ? 1 : 0, m.read_bytes, m.written_bytes);
}

/// Kernels of an operator's name, or of none.
struct Skipped {
  std::string name;
  int64_t kernels = 0, ns = 0;
};

/// What launched a kernel.
struct Launcher {
  const trace::Event* by = nullptr;      // the innermost operator that is in a table; null if there is none
  const trace::Event* shaped = nullptr;  // the innermost with shapes
  bool multiplies = false;
};

/// Adds up the operators of a trace's ranks.
class VectorSums {
 public:
  explicit VectorSums(const operator_models::Machine& machine)
      : launch_us_(machine.calibration.launch.value * 1e6),
        empty_ns_(std::llround(machine.calibration.empty_kernel.value * 1e9)),
        least_bytes_((machine.gpu.memory_bandwidth * machine.calibration.empty_kernel).value) {}

  void add(const trace::RankTrace& rank) {
    const trace::Operators operators(rank);
    std::unordered_map<const trace::Event*, int64_t> taken;  // by operator; -1: its inputs do not fit
    std::vector<std::pair<const trace::Event*, std::string>> rows;
    for (size_t i = 0; i < rank.events.size(); ++i) {
      const trace::Event& kernel = rank.events[i];
      if (kernel.kind != trace::EventKind::kernel || kernel.role != trace::Role::compute) continue;
      const Launcher launcher = launcher_of(rank, operators, i);
      if (launcher.multiplies) continue;
      if (launcher.by && !taken.contains(launcher.by)) {
        const std::optional<Moved> moved =
            moved_by(rank.name(*launcher.by), trace::inputs_of(rank, *launcher.by), rank.name(kernel));
        taken[launcher.by] = moved ? 0 : -1;
        if (moved && moved->read_bytes + moved->written_bytes < least_bytes_) ++small_;
        else if (moved) rows.emplace_back(launcher.by, row_of(*moved) + "," + rank.name(*launcher.by));
      }
      if (launcher.by && taken[launcher.by] >= 0)
        taken[launcher.by] += std::max<int64_t>(0, kernel.duration_ns - empty_ns_);
      else skip(rank, kernel, launcher);
    }
    for (const auto& [by, row] : rows) times_[row].push_back(taken[by]);
  }

  std::string text() const {
    std::string out = "op,rows,columns,precision,backward,read_bytes,written_bytes,operator,count,time_us\n";
    for (const auto& [row, ns] : times_)
      out += fmt::format("{},{},{:.3f}\n", row, ns.size(), median_of(ns) * 1e-3 + launch_us_);
    return out;
  }
  std::vector<std::string> notes() const {
    std::vector<std::string> notes;
    if (!skipped_.empty()) notes.push_back(skipped());
    if (small_ > 0)
      notes.push_back(
          fmt::format("{} operators move less than the memory does in an empty kernel ({:.3g} MB) and are no rows: "
                      "their time is their launch",
                      small_, least_bytes_ * 1e-6));
    return notes;
  }

 private:
  static Launcher launcher_of(const trace::RankTrace& rank, const trace::Operators& operators, size_t kernel) {
    Launcher launcher;
    const uint32_t call = rank.launched_by[kernel];
    if (call == trace::kNone) return launcher;
    for (const trace::Event* around : operators.around(rank.events[call].lane, rank.events[call].start_ns)) {
      if (!trace::says_inputs(rank, *around)) continue;
      if (!launcher.shaped) launcher.shaped = around;
      launcher.multiplies = multiplies(rank.name(*around));
      if (moves(rank.name(*around))) launcher.by = around;
      if (launcher.multiplies || launcher.by) break;
    }
    return launcher;
  }

  void skip(const trace::RankTrace& rank, const trace::Event& kernel, const Launcher& launcher) {
    if (work_of(kernel, rank.name(kernel)) != KernelWork::vector) return;  // a product without shapes
    const std::string name = launcher.shaped ? rank.name(*launcher.shaped) : "operators without shapes";
    Skipped& skipped = skipped_[name];
    skipped.name = name;
    ++skipped.kernels;
    skipped.ns += kernel.duration_ns;
  }
  std::string skipped() const {
    std::vector<Skipped> all;
    Skipped sum;
    for (const auto& [name, each] : skipped_) {
      all.push_back(each);
      sum.kernels += each.kernels;
      sum.ns += each.ns;
    }
    std::ranges::stable_sort(all, std::greater(), &Skipped::ns);
    std::vector<std::string> names;
    for (size_t i = 0; i < std::min(all.size(), kMostNamed); ++i)
      names.push_back(
          fmt::format("{} ({}, {:.3g} ms)", all[i].name, all[i].kernels, static_cast<double>(all[i].ns) * 1e-6));
    return fmt::format(
        "{} vector kernels of {:.3g} ms are of operators in no table, or of types or inputs that it has "
        "not: {}{}",
        sum.kernels, static_cast<double>(sum.ns) * 1e-6, fmt::join(names, ", "), all.size() > kMostNamed ? " ..." : "");
  }

  const double launch_us_;
  const int64_t empty_ns_;
  const double least_bytes_;                           // of an operator whose time says more than its launch
  std::map<std::string, std::vector<int64_t>> times_;  // by the columns of the table
  std::map<std::string, Skipped> skipped_;
  int64_t small_ = 0;
};

}  // namespace

CalibrationTable vector_table(const trace::Trace& trace, const operator_models::Machine& machine) {
  VectorSums streams(machine);
  for (const trace::RankTrace& rank : trace) streams.add(rank);
  return {streams.text(), streams.notes()};
}

}  // namespace planner::replay
