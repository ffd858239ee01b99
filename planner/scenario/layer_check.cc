#include "planner/scenario/layer_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "dsl/raw_text.h"

namespace planner {
namespace {

constexpr size_t kMostKinds = 60;  // with embedding, head and predictions a block each: 64 (HeldMatrix)

/// A step that reads what several steps wrote, and does not say how many of their values (`in`).
struct UnsaidInput {
  size_t step = 0;
  int64_t results = 0, values = 0;  // that it may mean, and how wide they are together
};
std::optional<UnsaidInput> unsaid_input(const LayerRow& row, int64_t hidden) {
  const std::vector<LayerStep> settled = settled_steps(row, hidden);
  int64_t results = 0, values = 0;  // that no step has read yet
  for (size_t i = 0; i < settled.size(); ++i) {
    if (settled[i].kind == StepKind::weights) continue;
    const bool branches = settled[i].reads == StepInput::input;
    if (!branches && row.steps[i].in == 0 && results > 1) return UnsaidInput{i, results, values};
    if (!branches) results = values = 0;
    ++results;
    values += settled[i].out;
  }
  return std::nullopt;
}

class LayerCheck {
 public:
  explicit LayerCheck(const Model& model) : model_(model) {}

  std::vector<LayerMistake> run() {
    if (model_.kinds.size() > kMostKinds)
      add("model.kinds", fmt::format("{} kinds of layers, at most {} can be planned", model_.kinds.size(), kMostKinds),
          "make one kind of those that nearly agree");
    for (size_t i = 0; i < model_.kinds.size(); ++i) check_kind(fmt::format("model.kinds[{}]", i), model_.kinds[i]);
    if (!model_.mtp_pattern.empty()) check_prediction();
    if (!model_.pattern.empty()) check_pattern();
    else if (!model_.kinds.empty())
      add("model.kinds[0].letter", "no pattern uses these kinds of layers",
          fmt::format("write 'pattern: ({})x{}' below 'model'", letters_,
                      std::max<int64_t>(1, model_.layers / static_cast<int64_t>(model_.kinds.size()))));
    return std::move(mistakes_);
  }

 private:
  void add(std::string field, std::string message, std::string hint = {}) {
    mistakes_.push_back({std::move(field), std::move(message), std::move(hint)});
  }

  void check_kind(const std::string& at, const LayerRow& row) {
    check_letter(at + ".letter", row.letter);
    const bool by_steps = row.mixer == Mixer::steps;
    const std::string mixer = at + ".mixer";
    if (row.mixer == Mixer::none && row.feed_forward == FeedForward::none)
      add(mixer, fmt::format("{} has neither a mixer nor a feed-forward part", at),
          "write 'feed_forward: mlp', or another mixer");
    if (by_steps && row.steps.empty())
      add(mixer, fmt::format("{} has no steps", at), "list them below 'steps', or write 'use: mamba2'");
    if (!by_steps && !row.steps.empty())
      add(mixer, fmt::format("{} has steps, but its mixer is '{}'", at, dsl::word_of(row.mixer)),
          "write 'mixer: steps'");
    if (row.feed_forward == FeedForward::experts && model_.experts.count == 0)
      add(at + ".feed_forward", fmt::format("{} has experts, the model has none", at),
          "write how many below 'model': 'experts: {count: 8, top_k: 2}'");
    if (row.expert_width >= model_.hidden)
      add(at + ".expert_width",
          fmt::format("{}: tokens of {} values are not narrowed to {}", at, model_.hidden, row.expert_width),
          "leave expert_width out where experts see whole tokens");
    if (const auto unsaid = unsaid_input(row, model_.hidden); by_steps && unsaid)
      add(fmt::format("{}.steps[{}].in", at, unsaid->step),
          fmt::format("{}.steps[{}] reads {} results, and does not say how many of their values", at, unsaid->step,
                      unsaid->results),
          fmt::format("'in: {}' reads all of them", unsaid->values));
    if (row.mixer == Mixer::none) return;
    const int64_t by = by_steps ? row.key_heads : row.kv_heads;
    if (row.heads % std::max<int64_t>(1, by) != 0)
      add(at + (by_steps ? ".key_heads" : ".kv_heads"), fmt::format("{}: {} heads are not a multiple of {} {} heads",
                                                                    at, row.heads, by, by_steps ? "key" : "key/value"));
  }

  void check_letter(const std::string& field, const std::string& letter) {
    constexpr std::string_view kReserved = "()|x0123456789";
    if (letter.size() != 1 || dsl::is_blank(letter[0]) || kReserved.find(letter[0]) != std::string_view::npos)
      return add(field, fmt::format("a kind is one letter of model.pattern, got '{}'", dsl::shortened(letter)),
                 "any but blanks, digits, 'x', '|' and brackets");
    if (letters_.find(letter) != std::string::npos)
      add(field, fmt::format("two kinds of layers have the letter '{}'", letter), "give one of them another letter");
    letters_ += letter;
  }

  /// The letters of a field, each of which is a kind; nullopt: mistakes were added.
  std::optional<std::string> known_letters(const char* field, const std::string& text) {
    const PatternLetters read = expand_pattern(text);
    const size_t odd = read.letters.find_first_not_of(letters_);
    if (read.wrong != std::string::npos)
      add(field, fmt::format("{}, letter {}: {}", field, read.wrong + 1, read.why),
          "letters of model.kinds, with repeats such as (MEM*E)x4");
    else if (odd != std::string::npos)
      add(field, fmt::format("{}: no kind of layers has the letter '{}'", field, read.letters[odd]),
          letters_.empty() ? "name kinds below 'model': 'kinds: [{use: mamba2}, {use: attention}]'"
                           : fmt::format("letters of model.kinds: {}", letters_));
    else return read.letters;
    return std::nullopt;
  }

  /// What one prediction layer is made of: layers as the model has them, and not many.
  void check_prediction() {
    constexpr const char* kField = "model.mtp_pattern";
    constexpr size_t kMost = 16;
    const std::optional<std::string> letters = known_letters(kField, model_.mtp_pattern);
    if (letters && letters->size() > kMost)
      add(kField, fmt::format("a prediction layer of {} layers, at most {} can be planned", letters->size(), kMost),
          "name each kind of its layers once");
  }

  void check_pattern() {
    const std::optional<std::string> letters = known_letters("model.pattern", model_.pattern);
    if (!letters) return;
    const auto has = static_cast<int64_t>(letters->size());
    if (has == model_.layers) return;
    add("model.pattern", fmt::format("model.pattern has {} layers, model.layers is {}", has, model_.layers),
        has > 0 && model_.layers % has == 0
            ? fmt::format("write '({})x{}'", model_.pattern, model_.layers / has)
            : fmt::format("repeats such as (MEM*E)x4 make it {} letters", model_.layers));
  }

  const Model& model_;
  std::string letters_;
  std::vector<LayerMistake> mistakes_;
};

}  // namespace

std::vector<LayerMistake> layer_mistakes(const Model& model) { return LayerCheck(model).run(); }

void check_layers(const dsl::Record& record, const Model& model, const std::set<std::string>& open,
                  dsl::Diagnostics& diagnostics) {
  if (std::ranges::any_of(open, [](const std::string& path) { return path.starts_with("model."); })) return;
  for (const LayerMistake& mistake : layer_mistakes(model))
    diagnostics.error(record.find(mistake.field)->span, mistake.message, mistake.hint);
  if (const dsl::Slot* slot = record.find("model.mtp_pattern"); slot && !model.mtp_pattern.empty() && model.mtp == 0)
    diagnostics.warning(slot->span, "model.mtp_pattern has no effect: the model has no prediction layers",
                        "say how many there are, such as 'mtp: 1', or leave mtp_pattern out");
}

}  // namespace planner
