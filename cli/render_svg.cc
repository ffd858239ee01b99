// SVG and DOT: the picture or the graph that a report carries.
#include <cassert>

#include "cli/render.h"

namespace cli {

void render_svg(const Report& report, const Page&, std::ostream& out) {
  assert(!std::holds_alternative<std::monostate>(report.picture) && "a command with kPicture gives its report one");
  std::visit(
      [&](const auto& chart) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(chart)>, std::monostate>) out << svg::draw(chart);
      },
      report.picture);
}

void render_dot(const Report& report, const Page&, std::ostream& out) { out << report.dot; }

}  // namespace cli
