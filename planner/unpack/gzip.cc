#include "planner/unpack/gzip.h"

#include <fmt/format.h>

#include "planner/unpack/inflate.h"

namespace planner::unpack {

bool is_gzip(const std::string& bytes) { return bytes.starts_with("\x1f\x8b"); }

std::optional<std::string> gunzip(const dsl::Source& file, dsl::Diagnostics& diagnostics, size_t most) {
  Inflated out{"", "it is not packed by gzip"};
  if (is_gzip(file.text)) out = inflated(file.text, Packing::gzip, most);
  if (out.wrong.empty()) return std::move(out.text);
  // Without a place: lines of a packed file cannot be shown.
  diagnostics.error({}, fmt::format("cannot read '{}': {}", file.name, out.wrong),
                    "`gzip -t` tests one; a text that is not packed is read too");
  return std::nullopt;
}

}  // namespace planner::unpack
