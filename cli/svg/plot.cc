#include "cli/svg/plot.h"

#include <cmath>

namespace cli::svg {
namespace {

/// Where the line from a to b has this y.
PixelPlace crossing(const PixelPlace& a, const PixelPlace& b, double y) {
  return {a.x + (b.x - a.x) * (y - a.y) / (b.y - a.y), y};
}

}  // namespace

std::vector<std::vector<PixelPlace>> clipped(const std::vector<PixelPlace>& line, double top, double low) {
  const auto shows = [&](const PixelPlace& p) { return p.y >= top && p.y <= low; };
  std::vector<std::vector<PixelPlace>> out;
  bool open = false;
  for (size_t i = 0; i + 1 < line.size(); ++i) {
    const PixelPlace &a = line[i], &b = line[i + 1];
    const bool finite = std::isfinite(a.y) && std::isfinite(b.y);
    const bool apart = (a.y < top && b.y < top) || (a.y > low && b.y > low);
    if (!finite || apart) {
      open = false;
      continue;
    }
    const auto end = [&](const PixelPlace& p) { return shows(p) ? p : crossing(a, b, p.y < top ? top : low); };
    if (!open) out.push_back({end(a)});
    out.back().push_back(end(b));
    open = shows(b);
  }
  return out;
}

}  // namespace cli::svg
