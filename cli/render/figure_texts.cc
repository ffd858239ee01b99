#include "cli/render/figure_texts.h"

namespace cli {

void FigureTexts::make(double x, FigureText& text) {
  text.bits = std::bit_cast<uint64_t>(x);
  text.size = static_cast<uint64_t>(write_figure(x, text.letters.data()) - text.letters.data());
}

}  // namespace cli
