#include <algorithm>

#include "dsl/fields.h"
#include "operator_models/calibrate/row_fit.h"

namespace operator_models {
namespace {

/// Visits each field by its path.
class FieldBounds {
 public:
  template <class T> void operator()(const char* name, T& member, const dsl::About& about) {
    if constexpr (dsl::IsOptional<T>::value) {
      if (member) (*this)(name, *member, about);
    } else if constexpr (dsl::IsVector<T>::value) {
      for (auto& item : member) (*this)(name, item, about);
    } else if constexpr (dsl::DimOf<T>::is_quantity) {
      move(name, member.value, about);
    } else if constexpr (std::is_floating_point_v<T>) {
      move(name, member, about);
    }
  }
  template <class T> void section(const char* name, T& t) { inside(std::string(name) + ".", t); }
  template <class T> void list(const char* name, std::vector<T>& all) {
    for (size_t i = 0; i < all.size(); ++i) inside(std::string(name) + "[" + std::to_string(i) + "].", all[i]);
  }
  template <class T> void table(const char* name, std::map<std::string, T>& all) {
    for (auto& [key, t] : all) inside(std::string(name) + "." + key + ".", t);
  }

  std::vector<std::string> moved;

 private:
  template <class T> void inside(const std::string& step, T& t) {
    const size_t outer = path_.size();
    path_ += step;
    fields(*this, t);
    path_.resize(outer);
  }
  void move(const char* name, double& x, const dsl::About& about) {
    if (x >= about.least && x <= about.most) return;
    x = x > about.most ? about.most : about.least;
    if (moved.empty() || moved.back() != path_ + name) moved.push_back(path_ + name);
  }
  std::string path_;
};

}  // namespace

std::vector<std::string> move_into_bounds(Calibration& calibration) {
  FieldBounds bounds;
  fields(bounds, calibration);
  return std::move(bounds.moved);
}

}  // namespace operator_models
