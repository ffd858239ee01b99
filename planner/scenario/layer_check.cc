#include "planner/scenario/layer_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dsl/raw_text.h"
#include "planner/scenario/layer_row.h"

namespace planner {
namespace {

constexpr const char* kKinds = "model.kinds";

class LayerCheck {
 public:
  LayerCheck(const dsl::Record& record, const std::set<std::string>& open, dsl::Diagnostics& diagnostics)
      : record_(record), open_(open), diagnostics_(diagnostics) {}

  void run() {
    const size_t kinds = record_.size(kKinds);
    for (size_t i = 0; i < kinds; ++i) check_kind(fmt::format("{}[{}]", kKinds, i));
    if (is_open("model.pattern") || is_open("model.layers")) return;
    const std::string pattern = text("model.pattern");
    if (!pattern.empty()) return check_pattern(pattern);
    if (kinds > 0)
      error(fmt::format("{}[0].letter", kKinds), "kinds of layers stand in no pattern",
            fmt::format("write 'pattern: ({})x{:.0f}' below 'model'", letters_,
                        std::max(1.0, std::floor(number("model.layers") / static_cast<double>(letters_.size())))));
  }

 private:
  bool is_open(const std::string& path) const { return open_.contains(path); }
  std::string text(const std::string& path) const { return std::get<std::string>(record_.find(path)->value.v); }
  double number(const std::string& path) const { return std::get<dsl::Number>(record_.find(path)->value.v).value; }
  void error(const std::string& path, const std::string& message, const std::string& hint = {}) {
    diagnostics_.error(record_.find(path)->span, message, hint);
  }

  void check_kind(const std::string& at) {
    check_letter(at + ".letter");
    const std::string mixer = text(at + ".mixer"), feeds = text(at + ".feed_forward");
    const size_t steps = record_.size(at + ".steps");
    if (mixer == "none" && feeds == "none")
      error(at + ".mixer", fmt::format("{} has neither a mixer nor a feed-forward part", at),
            "write 'feed_forward: mlp', or another mixer");
    if (mixer == "steps" && steps == 0)
      error(at + ".mixer", fmt::format("{} has no steps", at), "list them below 'steps', or write 'use: mamba2'");
    if (mixer != "steps" && steps > 0)
      error(at + ".mixer", fmt::format("{} has steps, but its mixer is '{}'", at, mixer), "write 'mixer: steps'");
    if (feeds == "experts" && !is_open("model.experts.count") && number("model.experts.count") == 0)
      error(at + ".feed_forward", fmt::format("{} has experts, the model has none", at),
            "write how many below 'model': 'experts: {count: 8, top_k: 2}'");
    if (mixer == "steps") check_heads(at);
    else if (mixer == "attention") divide(at, "heads", "kv_heads", "attention heads", "key/value heads");
  }

  void check_letter(const std::string& path) {
    const std::string letter = text(path);
    constexpr std::string_view kReserved = "()|x0123456789";
    if (letter.size() != 1 || dsl::is_blank(letter[0]) || kReserved.find(letter[0]) != std::string_view::npos)
      return error(path, fmt::format("a kind is one letter of model.pattern, got '{}'", dsl::shortened(letter)),
                   "any but blanks, digits, 'x', '|' and brackets");
    if (letters_.find(letter) != std::string::npos)
      error(path, fmt::format("two kinds of layers have the letter '{}'", letter), "give one of them another letter");
    letters_ += letter;
  }

  void check_heads(const std::string& at) { divide(at, "heads", "key_heads", "heads", "heads of keys"); }

  void divide(const std::string& at, const char* what, const char* by, const char* whats, const char* bys) {
    const std::string of = fmt::format("{}.{}", at, what), into = fmt::format("{}.{}", at, by);
    if (is_open(of) || is_open(into)) return;
    const double n = number(of), d = number(into);
    if (d > 0 && std::fmod(n, d) != 0)
      error(into, fmt::format("{}: {:.0f} {} are not a multiple of {:.0f} {}", at, n, whats, d, bys));
  }

  void check_pattern(const std::string& pattern) {
    const PatternLetters read = expand_pattern(pattern);
    if (read.wrong != std::string::npos)
      return error("model.pattern", fmt::format("model.pattern, letter {}: {}", read.wrong + 1, read.why),
                   "letters of model.kinds, with repeats such as (MEM*E)x4");
    for (char letter : read.letters)
      if (letters_.find(letter) == std::string::npos)
        return error("model.pattern", fmt::format("model.pattern: no kind of layers has the letter '{}'", letter),
                     letters_.empty() ? "name kinds below 'model': 'kinds: [{use: mamba2}, {use: attention}]'"
                                      : fmt::format("letters of model.kinds: {}", letters_));
    const double layers = number("model.layers"), has = static_cast<double>(read.letters.size());
    if (has == layers) return;
    const bool fits = has > 0 && std::fmod(layers, has) == 0;
    error("model.pattern", fmt::format("model.pattern has {:.0f} layers, model.layers is {:.0f}", has, layers),
          fits ? fmt::format("write 'pattern: ({})x{:.0f}'", pattern, layers / has)
               : fmt::format("write 'layers: {:.0f}'", has));
  }

  const dsl::Record& record_;
  const std::set<std::string>& open_;
  dsl::Diagnostics& diagnostics_;
  std::string letters_;
};

}  // namespace

void check_layers(const dsl::Record& record, const std::set<std::string>& open, dsl::Diagnostics& diagnostics) {
  LayerCheck(record, open, diagnostics).run();
}

namespace {

std::string row_mistake(const Model& m, const LayerRow& row) {
  const bool steps = row.mixer == Mixer::steps;
  if (row.letter.size() != 1) return fmt::format("a kind of layers is one letter, not '{}'", row.letter);
  if (row.mixer == Mixer::none && row.feed_forward == FeedForward::none) return "it has no part";
  if (steps != !row.steps.empty()) return steps ? "it has no steps" : "its steps are of no mixer";
  if (row.feed_forward == FeedForward::experts && m.experts.count == 0) return "the model has no experts";
  const int64_t shared = steps ? row.key_heads : row.kv_heads;
  if (row.mixer != Mixer::none && row.heads % std::max<int64_t>(1, shared) != 0)
    return fmt::format("{} heads are not a multiple of {}", row.heads, shared);
  return "";
}

}  // namespace

std::string layers_mistake(const Model& m) {
  std::string letters;
  for (const LayerRow& row : m.kinds) {
    if (const std::string why = row_mistake(m, row); !why.empty())
      return fmt::format("kind {} of layers: {}", letters.size() + 1, why);
    if (letters.find(row.letter) != std::string::npos) return fmt::format("two kinds have the letter '{}'", row.letter);
    letters += row.letter;
  }
  const PatternLetters read = expand_pattern(m.pattern);
  if (read.wrong != std::string::npos || (m.pattern.empty() && !m.kinds.empty())) return "model.pattern cannot be read";
  if (const size_t odd = read.letters.find_first_not_of(letters); odd != std::string::npos)
    return fmt::format("no kind of layers has the letter '{}'", read.letters[odd]);
  const auto has = static_cast<int64_t>(read.letters.size());
  return m.pattern.empty() || has == m.layers
             ? ""
             : fmt::format("model.pattern has {} layers, model.layers is {}", has, m.layers);
}

}  // namespace planner
