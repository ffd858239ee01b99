// Pictures of a run's lengths: how often each occurs, and what an iteration of it takes.
#pragma once

#include <string>

#include "cli/svg/picture.h"
#include "planner/studies/seqpoints/project.h"

namespace cli {

inline constexpr const char* kHistogram = "histogram";
inline constexpr const char* kSecondsPicture = "seconds";

/// `of`: `kHistogram`, `kSecondsPicture` (beside the truth where there is one) or the name of a statistic. The
/// SeqPoints are marked in each.
svg::Picture seqpoint_picture(const planner::seqpoint::Projection& projection, const std::string& of);

}  // namespace cli
