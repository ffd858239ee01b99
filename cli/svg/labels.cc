#include "cli/svg/labels.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace cli::svg {
namespace {

constexpr std::array<double, 9> kRings{3, 14, 26, 40, 58, 80, 110, 145, 185};  // pixels from the edge of the mark
constexpr int kAngles = 16;
constexpr double kTurn = 2 * 3.14159265358979323846 / kAngles;
constexpr size_t kApart = 2;  // from this ring on

/// The label whose nearest point lies `distance` from the mark's edge, in direction `angle` (0: right, counted on
/// to below).
Box beside(const Anchor& a, double distance, double angle) {
  const double c = std::cos(angle), s = std::sin(angle), reach = a.radius + distance;
  return {a.x + c * (reach + a.width / 2) - a.width / 2, a.y + s * (reach + a.height / 2) - a.height / 2, a.width,
          a.height};
}

bool meets_any(const Box& box, const std::vector<Box>& boxes) {
  return std::any_of(boxes.begin(), boxes.end(), [&](const Box& other) { return box.overlaps(other); });
}

/// Small boxes along the line from a mark to its label.
std::vector<Box> lead(const Anchor& a, const Box& label) {
  constexpr double kStep = 4;
  const double x = std::clamp(a.x, label.x, label.x + label.width);
  const double y = std::clamp(a.y, label.y, label.y + label.height);
  const double length = std::hypot(x - a.x, y - a.y);
  std::vector<Box> boxes;
  for (double at = a.radius; at + kStep < length; at += kStep)
    boxes.push_back({a.x + (x - a.x) * at / length - 1, a.y + (y - a.y) * at / length - 1, 2, 2});
  return boxes;
}

bool crosses_any(const std::vector<Box>& line, const std::vector<Box>& boxes) {
  return std::any_of(line.begin(), line.end(), [&](const Box& box) { return meets_any(box, boxes); });
}

/// `avoided`: null if there is no place that respects them.
std::optional<Placed> place(const Anchor& a, const Box& frame, const std::vector<Box>& taken,
                            const std::vector<Box>* avoided) {
  for (size_t ring = 0; ring < kRings.size(); ++ring)
    for (int i = 0; i < kAngles; ++i) {
      // Right, then on to both sides by turns, above first.
      const int turn = i % 2 == 0 ? i / 2 : kAngles - (i + 1) / 2;
      const Box box = beside(a, kRings[ring], turn * kTurn);
      const bool apart = ring >= kApart;
      if (!frame.holds(box) || meets_any(box, taken)) continue;
      if (avoided && (meets_any(box, *avoided) || (apart && crosses_any(lead(a, box), taken)))) continue;
      return Placed{.box = box, .apart = apart};
    }
  return std::nullopt;
}

}  // namespace

bool Box::overlaps(const Box& o) const {
  return x < o.x + o.width && o.x < x + width && y < o.y + o.height && o.y < y + height;
}

bool Box::holds(const Box& o) const {
  return o.x >= x && o.y >= y && o.x + o.width <= x + width && o.y + o.height <= y + height;
}

std::vector<std::optional<Placed>> place_labels(const std::vector<Anchor>& anchors, const Box& frame,
                                                const std::vector<Box>& taken, const std::vector<Box>& avoided) {
  std::vector<Box> full = taken, soft = avoided;
  std::vector<std::optional<Placed>> out;
  for (const Anchor& a : anchors) {
    std::optional<Placed> found = place(a, frame, full, &soft);
    if (!found && a.needed) found = place(a, frame, full, nullptr);
    if (found) full.push_back(found->box);
    if (found && found->apart)
      for (const Box& box : lead(a, found->box)) soft.push_back(box);
    out.push_back(found);
  }
  return out;
}

}  // namespace cli::svg
