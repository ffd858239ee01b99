#include "cli/svg/labels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace cli::svg {
namespace {

constexpr std::array<double, 9> kRings{3, 14, 26, 40, 58, 80, 110, 145, 185};  // pixels from the edge of the mark
constexpr int kAngles = 16;
constexpr double kTurn = 2 * 3.14159265358979323846 / kAngles;
constexpr size_t kApart = 2;  // from this ring on

/// The label whose nearest point lies `distance` from the mark's edge, in direction `angle` (0: right, counted on
/// to below).
PixelBox beside(const Anchor& a, double distance, double angle) {
  const double c = std::cos(angle), s = std::sin(angle), reach = a.radius + distance;
  return {a.x + c * (reach + a.width / 2) - a.width / 2, a.y + s * (reach + a.height / 2) - a.height / 2, a.width,
          a.height};
}

bool meets_any(const PixelBox& box, const std::vector<PixelBox>& boxes) {
  return std::any_of(boxes.begin(), boxes.end(), [&](const PixelBox& other) { return box.overlaps(other); });
}

/// Small boxes along the line from a mark to its label.
std::vector<PixelBox> lead(const Anchor& a, const PixelBox& label) {
  constexpr double kStep = 4;
  const double x = std::clamp(a.x, label.x, label.x + label.width);
  const double y = std::clamp(a.y, label.y, label.y + label.height);
  const double length = std::hypot(x - a.x, y - a.y);
  std::vector<PixelBox> boxes;
  for (double at = a.radius; at + kStep < length; at += kStep)
    boxes.push_back({a.x + (x - a.x) * at / length - 1, a.y + (y - a.y) * at / length - 1, 2, 2});
  return boxes;
}

bool crosses_any(const std::vector<PixelBox>& line, const std::vector<PixelBox>& boxes) {
  return std::any_of(line.begin(), line.end(), [&](const PixelBox& box) { return meets_any(box, boxes); });
}

/// `avoided`: null if no place respects them.
std::optional<LabelPlace> place(const Anchor& a, const PixelBox& frame, const std::vector<PixelBox>& taken,
                                const std::vector<PixelBox>* avoided) {
  for (size_t ring = 0; ring < kRings.size(); ++ring)
    for (int i = 0; i < kAngles; ++i) {
      // Right, then on to both sides by turns, above first.
      const int turn = i % 2 == 0 ? i / 2 : kAngles - (i + 1) / 2;
      const PixelBox box = beside(a, kRings[ring], turn * kTurn);
      const bool apart = ring >= kApart;
      if (!frame.holds(box) || meets_any(box, taken)) continue;
      if (avoided && (meets_any(box, *avoided) || (apart && crosses_any(lead(a, box), taken)))) continue;
      return LabelPlace{.box = box, .apart = apart};
    }
  return std::nullopt;
}

}  // namespace

bool PixelBox::overlaps(const PixelBox& o) const {
  return x < o.x + o.width && o.x < x + width && y < o.y + o.height && o.y < y + height;
}

bool PixelBox::holds(const PixelBox& o) const {
  return o.x >= x && o.y >= y && o.x + o.width <= x + width && o.y + o.height <= y + height;
}

std::vector<std::optional<LabelPlace>> place_labels(const std::vector<Anchor>& anchors, const PixelBox& frame,
                                                    const std::vector<PixelBox>& taken,
                                                    const std::vector<PixelBox>& avoided) {
  std::vector<PixelBox> full = taken, soft = avoided;
  std::vector<std::optional<LabelPlace>> out;
  for (const Anchor& a : anchors) {
    std::optional<LabelPlace> found = place(a, frame, full, &soft);
    if (!found && a.needed) found = place(a, frame, full, nullptr);
    if (found) full.push_back(found->box);
    if (found && found->apart)
      for (const PixelBox& box : lead(a, found->box)) soft.push_back(box);
    out.push_back(found);
  }
  return out;
}

std::vector<double> stacked(const std::vector<double>& wanted, const std::vector<double>& heights, double from,
                            double to) {
  std::vector<size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return wanted[i]; });
  std::vector<double> tops(wanted.size());
  double at = from;
  for (const size_t i : order) {
    tops[i] = std::max(at, wanted[i] - heights[i] / 2);
    at = tops[i] + heights[i];
  }
  at = to;
  for (auto i = order.rbegin(); i != order.rend(); ++i) {
    tops[*i] = std::min(tops[*i], at - heights[*i]);
    at = tops[*i];
  }
  return tops;
}

}  // namespace cli::svg
