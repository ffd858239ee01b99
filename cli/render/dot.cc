#include "cli/render/dot.h"

#include <cassert>

namespace cli {

void render_dot(const Report& report, const Page&, std::ostream& out) {
  assert(report.graph && "a command whose row says `graphs` gives its report one");
  out << report.graph();
}

}  // namespace cli
