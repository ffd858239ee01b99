// Labels next to marks, placed so that none covers another.
#pragma once

#include <optional>
#include <vector>

namespace cli::svg {

/// Pixels; y grows downwards.
struct PixelPlace {
  double x = 0, y = 0;
};

struct PixelBox {
  double x = 0, y = 0, width = 0, height = 0;
  bool overlaps(const PixelBox& other) const;
  bool holds(const PixelBox& other) const;
};

/// A round mark and the size of its label.
struct Anchor {
  double x = 0, y = 0, radius = 0, width = 0, height = 0;
  bool needed = true;  // otherwise omitted rather than placed over something to avoid
};

struct LabelPlace {
  PixelBox box;
  bool apart = false;  // too far from its mark to be read without a line to it
};

/// A place for each label inside `frame`, in the order of anchors. It is as near its mark as possible, over no label
/// and no box of `taken`. If possible, it also avoids the boxes of `avoided` (marks, lines) and lines to other labels.
/// nullopt: there is no place.
std::vector<std::optional<LabelPlace>> place_labels(const std::vector<Anchor>& anchors, const PixelBox& frame,
                                                    const std::vector<PixelBox>& taken,
                                                    const std::vector<PixelBox>& avoided);

/// Tops of blocks `heights` high, each as near to where it is `wanted` (its middle) as can be, none over another, all
/// between `from` and `to` where they fit.
std::vector<double> stacked(const std::vector<double>& wanted, const std::vector<double>& heights, double from,
                            double to);

}  // namespace cli::svg
