#include "cli/svg/curves_key.h"

#include <algorithm>

#include "cli/svg/curves_plot.h"
#include "cli/svg/frame.h"
#include "cli/svg/palette.h"
#include "cli/svg/text.h"

namespace cli::svg {
namespace {

constexpr size_t kNeutral = 7;  // the colour of a key of several curves

bool any(const Curves& chart, const auto& has) { return std::ranges::any_of(chart.curves, has); }
bool has_band(const Curve& c) {
  return std::ranges::any_of(c.runs, [](const auto& run) {
    return std::ranges::any_of(run, [](const CurveSample& s) { return s.band.has_value(); });
  });
}

/// Marks and their meaning, side by side, on as many lines as they need.
class Key {
 public:
  Key(Canvas& canvas, double y) : canvas_(canvas), y_(y) {}

  /// `mark` draws around the point that it is given.
  void entry(bool there, const std::string& text, double wide, const auto& mark) {
    if (!there || text.empty()) return;
    const double width = wide + 7 + text_width(text, kTextSize);
    if (x_ > kMargin && x_ + width > kPageWidth - kMargin) x_ = kMargin, y_ += kLine + 3;
    mark(x_ + wide / 2, y_ - 4);
    canvas_.text(x_ + wide + 7, y_, text);
    x_ += width + 22;
  }
  double below() const { return y_ + kLine; }

 private:
  Canvas& canvas_;
  double x_ = kMargin, y_;
};

}  // namespace

double draw_key(Canvas& canvas, const Curves& chart, double y) {
  const bool one = chart.curves.size() == 1;
  const size_t colour = one ? 0 : kNeutral;
  const std::string fill = series_class('f', colour), stroke = series_class('s', colour);
  const auto line = [&](const char* more) {
    return [&canvas, classes = stroke + more](double x, double at) { canvas.line(x - 13, at, x + 13, at, classes); };
  };
  Key key(canvas, y);
  key.entry(any(chart, [](const Curve& c) { return !c.points.empty(); }), chart.key.points, 2 * kDot,
            [&](double x, double at) { canvas.circle(x, at, kDot, fill + " edge thin"); });
  key.entry(any(chart, [](const Curve& c) { return !c.hollow.empty(); }), chart.key.hollow, 2 * kDot,
            [&](double x, double at) { canvas.circle(x, at, kDot, "none thick " + stroke); });
  key.entry(true, chart.key.known, 26, line(" thick"));
  key.entry(any(chart, leaves_known), chart.key.beyond, 26, line(" thick dashed"));
  key.entry(any(chart, has_band), chart.key.band, 20, [&](double x, double at) {
    canvas.rect({x - 10, at - 6, 20, 12}, fill + " faint");
  });
  key.entry(any(chart, [](const Curve& c) { return !c.shaded.empty(); }), chart.key.shaded, 20,
            [&](double x, double at) {
              if (one) canvas.rect({x - 10, at - 6, 20, 12}, series_class('f', kValid) + " faint");
              else canvas.rect({x - 10, at - 3, 20, kLane - 3}, fill + " mark");
            });
  key.entry(any(chart, [](const Curve& c) { return c.ringed.has_value(); }), chart.key.ringed, 2 * kRing,
            [&](double x, double at) { canvas.circle(x, at, kRing - 1, "none ink thick"); });
  return key.below();
}

}  // namespace cli::svg
