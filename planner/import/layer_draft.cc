#include "planner/import/layer_draft.h"

#include <algorithm>

#include "planner/import/field_tree.h"
#include "planner/import/layer_letters.h"

namespace planner {
namespace {

// A second kind of the same entry takes the next free letter.
char letter_of(const std::string& use, const std::string& taken) {
  constexpr std::string_view kFree = "ABCDEFGHIJKLMNOPQRSTUVWYZabcdefghijklmnopqrstuvwyz";
  if (const char own = letter_of_kind(use); own != '\0' && taken.find(own) == std::string::npos) return own;
  for (char c : kFree) {
    const bool named =
        std::ranges::any_of(layer_letters(), [&](const LayerLetter& row) { return letter_of_kind(row.use) == c; });
    if (!named && taken.find(c) == std::string::npos) return c;
  }
  for (char c : kFree)
    if (taken.find(c) == std::string::npos) return c;
  return '?';
}

/// How often the `length` letters at `from` come in a row.
size_t repeats(const std::string& letters, size_t from, size_t length) {
  size_t n = 1;
  while (letters.compare(from + n * length, length, letters, from, length) == 0 &&
         from + (n + 1) * length <= letters.size())
    ++n;
  return n;
}

std::string times(const std::string& part, size_t n) {
  if (n == 1) return part;
  return (part.size() == 1 ? part : "(" + part + ")") + "x" + std::to_string(n);
}

/// A scenario that uses the model lays its own fields over a kind by its name.
dsl::Node kind_node(const LayerDraft& draft, const std::string& name, char letter, const dsl::Span& place,
                    const std::string& source) {
  dsl::Node node(dsl::Node::Kind::map, place);
  put_field(node, "use", value_node(draft.use, place, "", true), place);
  put_field(node, "name", value_node(name, place, "", true), place);
  put_field(node, "letter", value_node(std::string(1, letter), place, "", true), place);
  for (const DraftField& field : draft.fields)
    put_field(node, field.name, value_node(field.value, place, field.source.empty() ? source : field.source), place);
  return node;
}

}  // namespace

std::string folded_pattern(const std::string& letters) {
  constexpr size_t kLongest = 32;
  std::string out;
  for (size_t at = 0; at < letters.size();) {
    size_t length = 1, n = 1, saved = 0;
    for (size_t l = 1; l <= std::min(kLongest, letters.size() - at); ++l) {
      const size_t r = repeats(letters, at, l), written = times(letters.substr(at, l), r).size();
      if (r > 1 && l * r > written && l * r - written > saved) length = l, n = r, saved = l * r - written;
    }
    out += times(letters.substr(at, length), n);
    at += length * n;
  }
  return out;
}

void put_feed_forward(LayerDraft& draft, bool routed, const std::string& source) {
  if (draft.use != "block") draft.fields.push_back({"feed_forward", routed ? "experts" : "mlp", source});
  else if (routed) draft.use = "experts-block";
}

void put_layers(dsl::Node& model, const std::vector<LayerDraft>& layers, const dsl::Span& place,
                const std::string& source, const std::vector<LayerDraft>& predicted) {
  std::vector<LayerDraft> kinds;
  std::string of_kinds;
  const auto letters_of = [&](const std::vector<LayerDraft>& drafts) {
    std::string letters;
    for (const LayerDraft& draft : drafts) {
      const auto known = std::ranges::find(kinds, draft);
      const auto at = static_cast<size_t>(known - kinds.begin());
      if (known == kinds.end()) {
        kinds.push_back(draft);
        of_kinds += letter_of(draft.use, of_kinds);
      }
      letters += of_kinds[at];
    }
    return letters;
  };
  const std::string letters = letters_of(layers), prediction = letters_of(predicted);
  dsl::Node list(dsl::Node::Kind::list, place);
  for (size_t i = 0; i < kinds.size(); ++i) {
    const bool again = std::any_of(kinds.begin(), kinds.begin() + static_cast<std::ptrdiff_t>(i),
                                   [&](const LayerDraft& other) { return other.use == kinds[i].use; });
    const std::string name = again ? kinds[i].use + "-" + of_kinds[i] : kinds[i].use;
    list.items.push_back(kind_node(kinds[i], name, of_kinds[i], place, source));
  }
  put_field(model, "layers", value_node(std::to_string(layers.size()), place, source), place);
  put_field(model, "pattern", value_node(folded_pattern(letters), place, source, true), place);
  if (!prediction.empty() && prediction != letters.substr(letters.size() - 1))
    put_field(model, "mtp_pattern", value_node(folded_pattern(prediction), place, source, true), place);
  put_field(model, "kinds", std::move(list), place);
}

}  // namespace planner
