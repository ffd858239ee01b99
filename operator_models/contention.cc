#include "operator_models/contention.h"

namespace operator_models {

double slowdown(const Calibration& calibration, std::string_view a, std::string_view b) {
  const std::string first(a), second(b);
  for (const std::string& key : {first + "+" + second, second + "+" + first, std::string("default")}) {
    const auto row = calibration.contention.find(key);
    if (row != calibration.contention.end()) return row->second.slowdown;
  }
  return 1;
}

}  // namespace operator_models
