// Colours, for light and dark pages, that colour-blind readers can distinguish.
#pragma once

#include <string>
#include <string_view>

namespace cli::svg {

/// Colours of series: classes f0 ... f7 fill with them, s0 ... s7 draw lines, o0 ... o7 write on them.
inline constexpr size_t kSeriesColours = 8;

/// The classes of every picture:
///
///     page          the ground                     ink, soft   lines and text, strong and weak
///     f3, s3, o3    series 3: filled, lines, text on it        grid  lines of a grid
///     mark          a see-through mark with an edge             halo  text that stays readable over lines
///     thin, thick, dashed                                       none  no filling
///     faint         a see-through area without an edge
std::string style_sheet();

/// The class of a series' colour, "f3"; they repeat after the last.
std::string series_class(char what, size_t series);

/// A cell of a heat map, from 0 (light) to 1 (dark blue): the same on a light and a dark page.
struct Shade {
  std::string fill;      // "#41b6c4"
  std::string_view ink;  // readable on it
};
Shade shade(double share);

}  // namespace cli::svg
