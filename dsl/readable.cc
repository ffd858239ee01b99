#include "dsl/readable.h"

#include "dsl/raw_text.h"

namespace dsl {

bool is_readable(const Source& source, Diagnostics& diagnostics, const ParseLimits& limits) {
  if (source.text.size() > limits.bytes) {
    diagnostics.error({&source, 1, 1, 1}, "the text is longer than " + std::to_string(limits.bytes) + " bytes",
                      "leave out what is not needed, or split it");
    return false;
  }
  const std::optional<BadByte> bad = find_bad_byte(source.text);
  if (bad) diagnostics.error(LineMap(source).at(bad->offset, 1), bad->message, bad->hint);
  return !bad;
}

}  // namespace dsl
