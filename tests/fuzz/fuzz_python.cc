// libFuzzer: any text as a Python file. It must end in a message with a place, or in a tree whose places lie in the
// text.

#include "planner/python/python_tree.h"
#include "tests/fuzz/fuzz.h"

namespace {

void require_inside(const dsl::Node& node, const dsl::Source& source) {
  const auto is_inside = [&](const dsl::Span& span) {
    return span.source == &source && span.line >= 1 && span.column >= 1 && span.length >= 0;
  };
  fuzz::require(is_inside(node.span));
  for (const dsl::Node& item : node.items) require_inside(item, source);
  for (const dsl::Entry& e : node.entries) {
    fuzz::require(is_inside(e.key_span));
    require_inside(e.value, source);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const dsl::Source source{"a.py", fuzz::text_of(data, size), ""};
  dsl::Diagnostics diagnostics;
  const dsl::Node node = planner::parse_python(source, {}, diagnostics);
  fuzz::require_places(diagnostics);
  fuzz::require(node.broken == diagnostics.has_errors());
  if (!node.broken) require_inside(node, source);
  dsl::Diagnostics unused;
  for (const std::string& name : planner::python_functions(source, unused)) {
    dsl::Diagnostics again;
    const dsl::Node result = planner::call_python(source, name, {}, again);
    fuzz::require_places(again);
    fuzz::require(result.broken == again.has_errors());
    if (!result.broken) require_inside(result, source);
    break;
  }
  return 0;
}
