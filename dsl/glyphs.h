// Letters outside ASCII that word processors and web pages put in place of ordinary ones.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dsl {

/// The first such letter of a text, and the text with all of them written in ASCII ("" where one has no ASCII).
struct Glyph {
  std::string_view name;  // "a no-break space"; "" where nothing is known about it
  std::string ascii;
};
/// nullopt: the text is ASCII.
std::optional<Glyph> find_glyph(std::string_view text);

}  // namespace dsl
