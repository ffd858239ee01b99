// Measured runs as a problem of least squares: every row planned from a scenario of its own, whose numbers the fit
// writes in place (nothing is read or parsed twice).
//
// A parameter's coordinate u counts its prior's standard errors: value = shipped * exp(error * u), or
// shipped + error * u. So u = 0 is the shipped profile, and the pull towards it is the residual u itself.
//
// The weight of a measured row.
//
//     residual = w * huber(ln(predicted / measured) / noise),   w = n^(-1/4) for n rows of a group
//
// Rows of a group share the error of their configuration's model: n of them weigh like sqrt(n) independent rows. Beyond
// `bend` standard errors a residual counts by its size, not its square (Huber 1964), so that an outlier does not drive
// the fit.
#pragma once

#include <string>
#include <vector>

#include "planner/plan/measurement.h"
#include "planner/studies/fit_steps/parameters.h"

namespace planner {

/// A run with something measured, and the scenario it is planned as. `id` and `group` label it, `number` is its place
/// among the runs that were read.
struct MeasuredRun {
  std::string id, group;
  size_t number = 0;
  Scenario scenario;
  Measurement measured;
};

/// A parameter of one owner, with its places in the scenarios of the owner's rows: several consecutive ones if a path
/// names a whole table. A different value in a recipe of a release is a separate number.
struct Instance {
  const FitParameter* parameter = nullptr;
  std::string owner, path;
  std::string precision;  // of a number that holds for one precision only
  double shipped = 0;
  ScenarioNumber number;           // the first place: its dimension and bounds
  std::vector<std::string> paths;  // of every place
  struct OwnerRow {
    size_t row = 0;
    std::vector<double*> values;
    void set(double value) const {
      for (double* at : values) *at = value;
    }
  };
  std::vector<OwnerRow> rows;

  double value_at(double u) const;
  double least_u() const;
  double most_u() const;
  /// Writes the value into every row of the owner.
  void set(double u) const;
};

/// ln(predicted / measured) of one row; 0 where nothing was measured.
struct LogRatios {
  double time = 0, memory = 0;
};

/// Holds d(LogRatios) / du of one row and parameter.
struct RowSlope {
  size_t row = 0, instance = 0;
  LogRatios slope;
};

class StepProblem {
 public:
  explicit StepProblem(std::vector<MeasuredRun> runs);
  StepProblem(const StepProblem&) = delete;
  StepProblem& operator=(const StepProblem&) = delete;

  const std::vector<MeasuredRun>& rows() const { return rows_; }
  const std::vector<Instance>& instances() const { return instances_; }

  LogRatios log_ratios(size_t row) const;
  /// Returns differences around `u` (one coordinate for each instance, as set now) of the listed instances over the
  /// rows that `wanted` marks; only rows of the owner are planned again, and every value is left as it was. Slopes of
  /// nothing are left out.
  std::vector<RowSlope> slopes(const std::vector<size_t>& instances, const std::vector<double>& u,
                               const std::vector<char>& wanted) const;

 private:
  void add(const FitParameter& parameter, size_t row);
  Instance& instance_of(const FitParameter& parameter, const std::string& path, const Scenario& scenario,
                        const ScenarioNumber& first);
  std::vector<MeasuredRun> rows_;
  std::vector<Instance> instances_;
};

inline constexpr double kNoise = 0.04;  // of ln(predicted / measured), not explained by fitted numbers, time and memory
inline constexpr double kBend = 2;

/// Returns sign(z) sqrt(huber loss): z below the bend; its square grows linearly beyond.
double huber(double z);
/// Returns the derivative of `huber`.
double huber_slope(double z);

/// The weights of each row, 0 where nothing was measured.
struct RowWeight {
  double time = 0, memory = 0;
};
std::vector<RowWeight> row_weights(const std::vector<MeasuredRun>& rows);

}  // namespace planner
