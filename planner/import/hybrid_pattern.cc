#include "planner/import/hybrid_pattern.h"

#include <algorithm>
#include <cmath>

#include "planner/import/layer_draft.h"
#include "planner/import/layer_letters.h"

namespace planner {
namespace {

bool is_layer(char c) { return megatron_letter(c) != nullptr; }

HybridPattern failed(size_t at, size_t size, const std::string& why, const std::string& hint = "") {
  HybridPattern out;
  out.why = why, out.hint = hint, out.wrong = at, out.wrong_size = size;
  return out;
}

HybridPattern unknown_letter(size_t at, char c) {
  const char large = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  const std::string hint =
      large != c && is_layer(large) ? "did you mean '" + std::string(1, large) + "'?" : "known: " + megatron_letters();
  return failed(at, 1, "unknown kind of layer '" + std::string(1, c) + "'", hint);
}

/// Returns the place of the first character that is not a layer; the text's size if all are layers.
size_t first_unknown(std::string_view text, bool with_parts) {
  const auto known = [&](char c) { return is_layer(c) || (with_parts && c == '|'); };
  return static_cast<size_t>(std::ranges::find_if_not(text, known) - text.begin());
}

/// A kind of attention: whole keys have other weights than latents.
size_t unlike_attention(std::string_view layers) {
  const size_t latent = layers.find_first_of("D+"), whole = layers.find('*');
  return latent == layers.npos || whole == layers.npos ? layers.npos : std::max(latent, whole);
}

/// Takes the letters behind each '/' of `text`, which begins at `from` with one.
void read_predictions(HybridPattern& out, std::string_view text, size_t from) {
  for (size_t at = from; at < text.size();) {
    const size_t end = std::min(text.find('/', at + 1), text.size());
    const std::string_view one = text.substr(at + 1, end - at - 1);
    const size_t unknown = first_unknown(one, false);
    if (unknown < one.size()) out = unknown_letter(at + 1 + unknown, one[unknown]);
    else if (one.empty()) out = failed(at, 1, "no prediction layer behind '/'", "take the '/' out");
    else if (out.depths > 0 && one != out.predicted)
      out = failed(at + 1, one.size(),
                   "prediction layers are alike: expected '" + out.predicted + "', got '" + std::string(one) + "'",
                   "write '" + out.predicted + "'");
    if (!out.why.empty()) return;
    out.predicted = one;
    ++out.depths;
    at = end;
  }
}

/// Turns each of the layers of kind M to `letter` behind which `step` others have passed.
void spread(std::string& layers, char letter, double step) {
  double left = step;
  for (char& layer : layers) {
    if (layer != 'M') continue;
    if (left < 0.5) layer = letter, left += step;
    else left -= 1;
  }
}

}  // namespace

HybridPattern read_hybrid_pattern(std::string_view text) {
  const size_t end = std::min(text.find('/'), text.size());
  const std::string_view main = text.substr(0, end);
  const size_t unknown = first_unknown(main, true), unlike = unlike_attention(main);
  if (unknown < main.size()) return unknown_letter(unknown, main[unknown]);
  if (unlike != main.npos)
    return failed(unlike, 1, "whole and latent attention ('*' beside 'D' or '+') in one model",
                  "'+' in place of '*' is attention to all keys with latents");
  HybridPattern out;
  out.parts = {0};
  for (const char c : main) {
    if (c == '|') out.parts.push_back(0);
    else out.layers += c, ++out.parts.back();
  }
  if (out.layers.empty()) return failed(0, text.size(), "no layers");
  if (std::ssize(out.layers) > kMostLayers) return failed(0, text.size(), "more than 100,000 layers");
  read_predictions(out, text, end);
  return out;
}

std::string pattern_of_ratios(int64_t layers, double attention, double mlp) {
  const double n = static_cast<double>(layers), attentions = std::nearbyint(n * attention),
               mlps = std::nearbyint(n * mlp);
  std::string out(static_cast<size_t>(layers), 'M');
  spread(out, '*', (n - attentions) / (attentions + 1));
  if (mlps > 0) spread(out, '-', (n - attentions - mlps) / mlps);
  return out;
}

std::string parted_pattern(const std::string& layers, int64_t parts) {
  std::string out;
  const size_t count = static_cast<size_t>(std::max<int64_t>(1, parts));
  for (size_t i = 0, from = 0; i < count; ++i) {
    const size_t to = layers.size() * (i + 1) / count;
    out += (i > 0 ? "|" : "") + layers.substr(from, to - from);
    from = to;
  }
  return out;
}

}  // namespace planner
