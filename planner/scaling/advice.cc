#include "planner/scaling/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "planner/scaling/fit_single.h"

namespace planner::scaling {
namespace {

constexpr double kFar = 4;         // times the last point: further out a model is a guess
constexpr double kNoisy = 0.1;     // spread of a point's repetitions, over their mean
constexpr double kUsualRatio = 2;  // from one value to the next, where the points do not say

class Adviser {
 public:
  Adviser(const Model& model, const std::vector<std::string>& parameters, std::optional<double> reach)
      : model_(model), parameters_(parameters), reach_(reach) {
    all_ = model.points;
    all_.insert(all_.end(), model.held.begin(), model.held.end());
  }

  std::vector<Advice> advice() {
    if (all_.empty()) return {};
    for (size_t p = 0; p < parameters_.size(); ++p) fill_row(p);
    if (parameters_.size() > 1 && on_axes()) leave_axes();
    if (reach_) go_towards(*reach_);
    if (model_.variation > kNoisy)
      out_.push_back({{},
                      fmt::format("repetitions of a point vary by up to {:.0f} %: measure each more often",
                                  100 * model_.variation),
                      0});
    return std::move(out_);
  }

 private:
  /// The longest run of points that differ in one parameter alone, rising.
  std::vector<std::vector<double>> row_of(size_t parameter) const {
    std::vector<std::vector<double>> best;
    for (const auto& start : all_) {
      std::set<std::vector<double>> row;
      for (const auto& other : all_) {
        std::vector<double> same = other;
        same[parameter] = start[parameter];
        if (same == start) row.insert(other);
      }
      if (row.size() > best.size()) best.assign(row.begin(), row.end());
    }
    return best;
  }

  /// How far apart values are: the middle one of their ratios.
  static double ratio_of(const std::vector<std::vector<double>>& row, size_t parameter) {
    std::vector<double> ratios;
    for (size_t i = 1; i < row.size(); ++i) ratios.push_back(row[i][parameter] / row[i - 1][parameter]);
    if (ratios.empty()) return kUsualRatio;
    std::ranges::sort(ratios);
    return ratios[ratios.size() / 2];
  }

  void add(std::vector<double> point, const std::string& reason) {
    const bool there = std::ranges::find(all_, point) != all_.end();
    if (there || std::ranges::any_of(out_, [&](const Advice& a) { return a.point == point; })) return;
    out_.push_back({point, reason, model_.at(point)});
  }

  void fill_row(size_t parameter) {
    const std::vector<std::vector<double>> row = row_of(parameter);
    const double ratio = ratio_of(row, parameter);
    std::vector<double> next = row.back();
    for (size_t have = row.size(); have < kLeastPoints; ++have) {
      next[parameter] = std::round(next[parameter] * ratio);
      add(next, fmt::format("{} has {} of the {} values that a model wants", parameters_[parameter], row.size(),
                            kLeastPoints));
    }
  }

  /// Every point has all parameters but one at the value that most points have.
  bool on_axes() const {
    const std::vector<double> corner = *std::ranges::min_element(all_);
    return std::ranges::all_of(all_, [&](const auto& point) {
      size_t moved = 0;
      for (size_t p = 0; p < point.size(); ++p) moved += point[p] != corner[p];
      return moved <= 1;
    });
  }

  void leave_axes() {
    std::vector<double> point = *std::ranges::min_element(all_);
    for (size_t p = 0; p < parameters_.size(); ++p) {
      const auto row = row_of(p);
      point[p] = row[row.size() / 2][p];
    }
    add(point, "all points lie on the axes: sums and products of the parameters are told apart off them");
  }

  void go_towards(double reach) {
    std::vector<double> last = *std::ranges::max_element(all_, {}, [](const auto& point) { return point[0]; });
    if (reach <= kFar * last[0]) return;
    const double from = last[0];
    for (const double share : {8.0, 4.0}) {
      last[0] = std::round(reach / share);
      if (last[0] > from)
        add(last, fmt::format("{} = {} is {:.0f} times beyond the last point: a point nearer to it", parameters_[0],
                              reach, reach / from));
    }
  }

  const Model& model_;
  const std::vector<std::string>& parameters_;
  std::optional<double> reach_;
  std::vector<std::vector<double>> all_;
  std::vector<Advice> out_;
};

}  // namespace

std::vector<Advice> advise(const Model& model, const std::vector<std::string>& parameters,
                           std::optional<double> reach) {
  return Adviser(model, parameters, reach).advice();
}

}  // namespace planner::scaling
