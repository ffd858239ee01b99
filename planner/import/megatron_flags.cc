#include "planner/import/megatron_flags.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "dsl/raw_text.h"
#include "planner/import/field_tree.h"
#include "planner/import/hub_names.h"
#include "planner/import/launch_line.h"
#include "planner/import/megatron_table.h"

namespace planner::megatron {
namespace {

constexpr size_t kMostHints = 5;  // on unknown flags: a script with more is not one of Megatron-LM

bool is_flag(const std::string& word) { return word.size() > 2 && word.starts_with("--"); }

/// Where the next flag stands: a pattern of layers may hold "--" as well.
size_t flag_in(const std::string& text, size_t from) {
  size_t at = text.find("--", from);
  while (at != text.npos && (at + 2 >= text.size() || text[at + 2] < 'a' || text[at + 2] > 'z'))
    at = text.find("--", at + 1);
  return std::min(at, text.size());
}

}  // namespace

std::optional<std::string> python_number(const std::string& text) {
  std::string digits = text.starts_with('+') ? text.substr(1) : text;  // the language has no such sign
  for (size_t i = 1; i + 1 < digits.size(); ++i)
    if (digits[i] == '_' && dsl::is_digit(digits[i - 1]) && dsl::is_digit(digits[i + 1])) digits.erase(i, 1);
  char* end = nullptr;
  const double x = std::strtod(digits.c_str(), &end);
  const bool decimal = !digits.empty() && digits.find_first_not_of("0123456789.eE+-") == std::string::npos;
  return decimal && *end == '\0' && std::isfinite(x) && x >= 0 ? std::optional(digits) : std::nullopt;
}

Flags::Flags(const ShellCommand& command, const dsl::Span& place, dsl::Diagnostics& diagnostics,
             const ProgramFlags& flag_table)
    : table(flag_table), place_(place), diagnostics_(diagnostics) {
  FlagValues* last = nullptr;
  bool is_program = false;  // a word names it: what follows are its flags
  for (const ShellWord& word : command.words) {
    is_program = is_program || word.text.ends_with(".py");
    if (!is_flag(word.text)) {
      const bool is_value = last && last->values.empty() && !table.is_switch(order_.back());
      if (word.is_absent && !is_value && is_program) absent_.push_back(word);
      else if (last) last->values.push_back(word);
      continue;
    }
    const size_t equals = word.text.find('=');
    const std::string name = word.text.substr(0, equals);
    if (!given_.contains(name)) order_.push_back(name);
    last = &given_[name];
    *last = {word.span, {}};  // given twice: argparse takes the last
    if (equals != std::string::npos) last->values.push_back({word.text.substr(equals + 1), word.span});
  }
}

void Flags::name_keys(std::map<std::string, std::string> keys) { keys_ = std::move(keys); }

std::string Flags::in_their_words(const std::string& text) const {
  if (keys_.empty()) return text;
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t flag = flag_in(text, at);
    const size_t end = std::min(text.find_first_not_of("-_abcdefghijklmnopqrstuvwxyz0123456789", flag), text.size());
    out += text.substr(at, flag - at);
    if (flag < text.size() && out.ends_with("flag ")) out.replace(out.size() - 5, 4, "key");
    std::string word = text.substr(flag, end - flag);
    const auto key = keys_.find(word);
    const bool of_launcher = key == keys_.end() && has(word);
    if (!of_launcher) std::ranges::replace(word, '-', '_');
    out += key != keys_.end() ? key->second : of_launcher ? word : word.substr(std::min<size_t>(2, word.size()));
    at = end;
  }
  return out;
}

dsl::Span Flags::place_of(const std::string& flag) const {
  const auto it = given_.find(flag);
  if (it == given_.end()) return place_;
  return it->second.values.empty() ? it->second.span : it->second.values[0].span;
}

const std::vector<ShellWord>& Flags::values(const std::string& flag) const {
  static const std::vector<ShellWord> kNone;
  const auto it = given_.find(flag);
  return it == given_.end() ? kNone : it->second.values;
}

std::string Flags::text(const std::string& flag, const std::string& otherwise) const {
  const auto& words = values(flag);
  return words.empty() ? otherwise : words[0].text;
}

bool Flags::is_on(const std::string& flag) const {
  constexpr std::string_view kOff[] = {"", "false", "0", "no", "none"};
  std::string word = text(flag, "true");
  std::ranges::transform(word, word.begin(), dsl::small);
  return has(flag) && std::ranges::find(kOff, word) == std::end(kOff);
}

double Flags::number(const std::string& flag, double otherwise) {
  if (!has(flag)) return otherwise;
  const std::string value = text(flag);
  if (const std::optional<std::string> figure = python_number(value)) return std::strtod(figure->c_str(), nullptr);
  const bool is_open = values(flag).size() > 0 && values(flag)[0].is_open;
  error(flag,
        value.empty() ? flag + " has no value"
                      : "expected a number, 0 or more, for " + flag + ", got '" + dsl::shortened(value) + "'" +
                            (value.starts_with('$') ? ", which the text does not set" : ""),
        is_open ? hint_of_open(value) : "");
  return otherwise;
}

std::string Flags::figure(const std::string& flag, const std::string& otherwise) {
  return !has(flag) || number(flag, -1) < 0 ? otherwise : *python_number(text(flag));
}

int64_t Flags::count(const std::string& flag, int64_t otherwise) {
  constexpr double kMost = 1e15;
  const double x = number(flag, static_cast<double>(otherwise));
  if (x == std::floor(x) && std::abs(x) <= kMost) return static_cast<int64_t>(x);
  error(flag, "expected a whole number for " + flag + ", got '" + dsl::shortened(text(flag)) + "'");
  return otherwise;
}

std::string Flags::comment_of(const std::string& flag) const {
  if (!has(flag)) return in_their_words(flag) + ": default of " + table.title;
  std::string comment = in_their_words(flag);
  for (const ShellWord& word : values(flag)) {
    if (comment.size() + word.text.size() > 80) return comment + " ...";
    comment += " " + word.text;
  }
  return comment;
}

void Flags::put(const char* field, const std::string& value, const std::string& flag) {
  const dsl::Span span = place_of(flag);
  put_field(scenario, field, value_node(value, span, comment_of(flag)), span);
}

void Flags::leave_open(const char* field, const std::string& why) {
  put_field(scenario, field, value_node(kFillIn, place_, "fill in: " + in_their_words(why)), place_);
  complete = false;
}

std::string Flags::value_of(const FieldFlag& row) {
  if (row.value) return row.value;
  if (row.words.empty()) return figure(row.name, "");
  std::string ours = ours_of(row.words, text(row.name));
  if (ours.empty()) warn(row.name, "'" + dsl::shortened(text(row.name)) + "' is left out");
  return ours;
}

void Flags::put_fields() {
  for (const std::string& flag : order_) {
    const FieldFlag* row = table.field_of(flag);
    if (!row) continue;
    if (row->needs && !has(row->needs) && !is_named()) {
      warn(flag, std::string("has no effect without ") + row->needs);
      continue;
    }
    if (const std::string value = value_of(*row); !value.empty()) put(row->field, value, flag);
  }
  for (const FieldFlag& row : table.fields) {
    const bool is_of_model = is_named() && std::string_view(row.field).starts_with("model.");
    if (row.absent && !is_of_model && !has(row.name) && (!row.needs || has(row.needs)))
      put(row.field, row.absent, row.name);
  }
}

int64_t Flags::layers() const {
  const dsl::Node* name = field("model.use");
  const std::string known = name ? figure_of_model(name->text, "layers") : "";
  return count_of("model.layers", known.empty() ? 0 : std::stoll(known));
}

const dsl::Node* Flags::field(const char* path) const {
  const dsl::Node* at = &scenario;
  std::string_view rest = path;
  while (at && !rest.empty()) {
    const size_t dot = rest.find('.');
    at = at->find(rest.substr(0, dot));
    rest = dot == std::string_view::npos ? "" : rest.substr(dot + 1);
  }
  return at;
}

int64_t Flags::count_of(const char* path, int64_t otherwise) const {
  const dsl::Node* node = field(path);
  const double x = node ? std::strtod(node->text.c_str(), nullptr) : 0;
  return x >= 1 && x < 1e15 ? static_cast<int64_t>(x) : otherwise;
}

void Flags::warn(const std::string& flag, const std::string& message, const std::string& hint) {
  diagnostics_.warning(place_of(flag), in_their_words(flag + ": " + message), in_their_words(hint));
}
void Flags::error(const std::string& flag, const std::string& message, const std::string& hint) {
  diagnostics_.error(place_of(flag), in_their_words(message), in_their_words(hint));
}

void Flags::error_in(const std::string& flag, size_t from, size_t size, const std::string& message,
                     const std::string& hint) {
  dsl::Span span = place_of(flag);
  if (has(flag) && text(flag).empty()) span = given_.at(flag).span;
  const bool quotes = span.source && !text(flag).empty();
  const size_t begin = quotes ? dsl::offset_of(span) : std::string::npos;
  const size_t at = begin == std::string::npos ? begin : span.source->text.find(text(flag), begin);
  const size_t most = flag.size() + 2;  // it stands behind a quote, or behind "--flag=" and one
  if (at != std::string::npos && at - begin <= most)
    span = dsl::LineMap(*span.source).at(at + from, std::max<size_t>(1, size));
  diagnostics_.error(span, in_their_words(message), in_their_words(hint));
}

std::string Flags::written(const std::string& flag, const std::string& value) const {
  return "`" + in_their_words(flag) + (keys_.empty() ? " " : ": ") + value + "`";
}

void Flags::put_model(dsl::Node model) {
  for (dsl::Entry& e : model.entries) put_field(scenario, "model." + e.key, std::move(e.value), e.key_span);
}

bool Flags::is_usual(const std::string& flag, const std::string& usual, const std::string& needs) const {
  if (!needs.empty() && !has(needs)) return true;
  return !usual.empty() && text(flag) == (is_flag(usual) ? text(usual, "1") : usual);
}

void Flags::judge_known(const std::string& flag, std::vector<std::string>& idle) {
  const dsl::Span span = given_.at(flag).span;
  const std::string name = in_their_words(flag);
  const RefusedFlag* refused = table.refused_of(flag);
  const LostFlag* lost = table.lost_of(flag);
  const FlagRole role = table.role_of(flag);
  if (role == FlagRole::refused && !is_usual(flag, refused->usual, refused->needs)) {
    const std::string hint = refused->hint;
    diagnostics_.error(span, name + " " + in_their_words(refused->change) + ", which is not planned",
                       in_their_words(hint.empty() ? "take it out to plan the run without it" : hint));
  } else if (role == FlagRole::lost && !is_usual(flag, lost->usual, lost->needs)) {
    diagnostics_.warning(span, name + " has no counterpart in a plan and is left out");
  } else {
    idle.push_back(name);
  }
}

std::vector<std::string> Flags::judge() {
  std::vector<std::string> idle;
  for (const ShellWord& word : absent_)
    diagnostics_.warning(word.span, "'" + word.text + "' is not set: flags that it may hold are not read",
                         hint_of_open(word.text));
  size_t unknown = 0;
  for (const std::string& flag : order_) {
    if (table.reads(flag)) continue;
    if (table.role_of(flag) != FlagRole::unknown) judge_known(flag, idle);
    else
      diagnostics_.warning(given_.at(flag).span,
                           (keys_.empty() ? "unknown flag '" : "unknown key '") + in_their_words(flag) + "'",
                           unknown++ < kMostHints ? in_their_words(dsl::did_you_mean(flag, table.names())) : "");
  }
  return idle;
}

}  // namespace planner::megatron
