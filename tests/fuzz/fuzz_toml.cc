// libFuzzer: any text as TOML. It must end in a message with a place, or in a tree whose places lie in the text, in
// written order.

#include "dsl/toml.h"
#include "tests/fuzz/fuzz.h"

namespace {

void require_inside(const dsl::Node& node, const dsl::Source& source) {
  const auto is_inside = [&](const dsl::Span& span) {
    return span.source == &source && span.line >= 1 && span.column >= 1 && span.length >= 0;
  };
  fuzz::require(is_inside(node.span));
  for (const dsl::Node& item : node.items) require_inside(item, source);
  const dsl::Entry* before = nullptr;
  for (const dsl::Entry& e : node.entries) {
    fuzz::require(is_inside(e.key_span));
    if (before)
      fuzz::require(before->key_span.line < e.key_span.line ||
                    (before->key_span.line == e.key_span.line && before->key_span.column <= e.key_span.column));
    before = &e;
    require_inside(e.value, source);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const dsl::Source source{"a.toml", fuzz::text_of(data, size), ""};
  dsl::Diagnostics diagnostics;
  const dsl::Node node = dsl::parse_toml(source, diagnostics);
  fuzz::require_places(diagnostics);
  fuzz::require(node.broken == diagnostics.has_errors());
  if (!node.broken) require_inside(node, source);
  return 0;
}
