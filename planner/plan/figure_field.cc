#include "planner/plan/figure_field.h"

#include "dsl/unit_sizes.h"

namespace planner {

FigureScale scale_of(FigureUnit unit) {
  switch (unit) {
    case FigureUnit::seconds:
      return {dsl::kTime};
    case FigureUnit::days:
      return {dsl::kTime, dsl::kDay};
    case FigureUnit::hours:
      return {dsl::kTime, dsl::kHour};
    case FigureUnit::bytes:
    case FigureUnit::memory:
    case FigureUnit::gib:
      return {dsl::kData};
    case FigureUnit::usd:
      return {dsl::kMoney};
    case FigureUnit::kwh:
      return {dsl::kEnergy, dsl::kKilowattHour};
    default:
      return {dsl::kNone};
  }
}

FigureAxis axis_of(const FigureAbout& about) {
  switch (about.unit) {
    case FigureUnit::seconds:
      return {std::string(about.axis) + ", s"};
    case FigureUnit::days:
      return {std::string(about.axis) + ", days"};
    case FigureUnit::memory:
      return {std::string(about.axis) + ", GiB", dsl::kGiB};
    case FigureUnit::usd:
      return {std::string(about.axis) + ", USD"};
    case FigureUnit::kwh:
      return {std::string(about.axis) + ", kWh"};
    default:
      return {about.axis};
  }
}

}  // namespace planner
