#include "cli/render/svg.h"

#include <cassert>

namespace cli {

void render_svg(const Report& report, const Page&, std::ostream& out) {
  assert(report.picture && "a command whose row says `pictures` gives its report one");
  std::visit([&](const auto& chart) { out << svg::draw(chart); }, report.picture());
}

}  // namespace cli
