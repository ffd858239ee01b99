#include "planner/shell/expansion.h"

#include <fnmatch.h>

#include <algorithm>
#include <cstring>

namespace planner::shell {
namespace {

constexpr const char* kPatternSigns = "*?[]\\|()@!+";

void ignore(size_t, const char*) {}

/// "$@", "${NAME[@]}" alone: as many words as there are values, even none.
bool is_all_apart(std::string_view quoted) {
  if (quoted == "$@") return true;
  const size_t at = quoted.find('@');
  return quoted.starts_with("${") && quoted.find('}') == quoted.size() - 1 && at != quoted.npos &&
         (at == 2 || quoted[at - 1] == '[');
}

char escaped(char c) {
  const char* found = std::strchr("n\nt\tr\r", c);
  return found && c != '\n' && c != '\t' && c != '\r' ? found[1] : c;
}

}  // namespace

bool fits_pattern(const std::string& text, const std::string& pattern) {
  return fnmatch(pattern.c_str(), text.c_str(), FNM_EXTMATCH) == 0;
}

void WordFields::end() {
  if (is_word || !word.text.empty()) done.push_back(std::move(word));
  word = {};
  is_word = false;
}

std::vector<PlacedText> WordExpander::fields(TextRange word) {
  manner_ = Manner::parted;
  if (word.in(text_).find('{') != std::string_view::npos) {
    const std::vector<PlacedText> words = brace_words(code_.part(word.from, word.to));
    std::vector<PlacedText> all;
    for (size_t i = 0; words.size() > 1 && i < words.size(); ++i)
      std::ranges::move(WordExpander(words[i], state_, capture_).fields({0, words[i].text.size()}),
                        std::back_inserter(all));
    if (words.size() > 1) return all;
  }
  WordFields out;
  expand(word, false, out);
  out.end();
  const bool plain = word.in(text_).find_first_of("'\"\\") == std::string_view::npos;
  for (PlacedText& made : out.done) made.is_absent = plain && made.bare().empty();
  return std::move(out.done);
}

PlacedText WordExpander::whole(TextRange word) {
  manner_ = Manner::whole;
  WordFields out;
  expand(word, false, out);
  return std::move(out.word);
}

PlacedText WordExpander::pattern(TextRange word) {
  manner_ = Manner::pattern;
  WordFields out;
  expand(word, false, out);
  return std::move(out.word);
}

PlacedText WordExpander::lines(TextRange range) {
  manner_ = Manner::whole;
  keeps_quotes_ = true;
  WordFields out;
  double_quoted(range, out);
  keeps_quotes_ = false;
  return std::move(out.word);
}

void WordExpander::expand(TextRange range, bool quoted, WordFields& out) {
  if (quoted) return double_quoted(range, out);
  for (size_t at = range.from; at < range.to;) {
    const char c = text_[at];
    if (c == '\\') {
      const size_t line = text_.compare(at + 1, 2, "\r\n") == 0 ? 3 : 2;
      if (at + 1 < range.to && text_[at + line - 1] != '\n') add_quoted(text_[at + 1], code_.at[at + 1], out);
      at += at + 1 < range.to && text_[at + line - 1] == '\n' ? line : 2;
    } else if (c == '\'') {
      const size_t end = quote_end(text_, at, ignore);
      for (size_t i = at + 1; i + 1 < end; ++i) add_quoted(text_[i], code_.at[i], out);
      out.is_word = true;
      at = end;
    } else if (c == '"') {
      const size_t end = quote_end(text_, at, ignore);
      out.is_word = out.is_word || !is_all_apart(std::string_view(text_).substr(at + 1, end - at - 2));
      double_quoted({at + 1, end - 1}, out);
      at = end;
    } else if (c == '$' && at + 1 < range.to && text_[at + 1] == '\'') {
      const size_t end = quote_end(text_, at + 1, ignore);
      for (size_t i = at + 2; i + 1 < end; ++i) {
        const bool escape = text_[i] == '\\' && i + 2 < end;
        i += escape;
        add_quoted(escape ? escaped(text_[i]) : text_[i], code_.at[i], out);
      }
      out.is_word = true;
      at = end;
    } else if (c == '$' || c == '`') {
      const size_t end = std::min(expansion_end(text_, at, ignore), range.to);
      expansion({at, end}, false, out);
      at = end;
    } else {
      out.word.add(c, code_.at[at]);
      ++at;
    }
  }
}

void WordExpander::double_quoted(TextRange inside, WordFields& out) {
  for (size_t at = inside.from; at < inside.to;) {
    const char c = text_[at];
    if (c == '\\' && at + 1 < inside.to && std::strchr("\"\\$`\n", text_[at + 1])) {
      if (text_[at + 1] != '\n') add_quoted(text_[at + 1], code_.at[at + 1], out);
      at += 2;
    } else if (c == '$' || c == '`') {
      const size_t end = std::min(expansion_end(text_, at, ignore), inside.to);
      expansion({at, end}, true, out);
      at = end;
    } else {
      // A quote inside a quoted "${NAME:-...}" quotes its default: bash removes it.
      if (c != '"' || keeps_quotes_) add_quoted(c, code_.at[at], out);
      ++at;
    }
  }
}

void WordExpander::add_quoted(char c, uint32_t place, WordFields& out) {
  if (manner_ == Manner::pattern && std::strchr(kPatternSigns, c)) out.word.add('\\', place);
  out.word.add(c, place);
}

void WordExpander::add_value(const PlacedText& value, bool quoted, WordFields& out) {
  for (size_t i = 0; i < value.text.size(); ++i) {
    const char c = value.text[i];
    const bool blank =
        !quoted && manner_ == Manner::parted && std::strchr(" \t\r\n", c) && !(value.at[i] & PlacedText::kOpen);
    if (blank) out.end();
    else if (quoted) add_quoted(c, value.at[i], out);
    else out.word.add(c, value.at[i]);
  }
}

PlacedText WordExpander::open(TextRange range) const {
  PlacedText text = code_.part(range.from, range.to);
  for (uint32_t& place : text.at) place |= PlacedText::kOpen;
  return text;
}

void WordExpander::expansion(TextRange range, bool quoted, WordFields& out) {
  const std::string_view raw = range.in(text_);
  if (++depth_ > 50) return add_open(range, quoted, out), void(--depth_);
  if (raw.starts_with("$((") && raw.ends_with("))")) computed({range.from + 3, range.to - 2}, range, quoted, out);
  else if (raw.starts_with("$[") && raw.ends_with("]")) computed({range.from + 2, range.to - 1}, range, quoted, out);
  else if (raw.starts_with("$(") && raw.ends_with(")"))
    captured(code_.part(range.from + 2, range.to - 1), range, quoted, out);
  else if (raw.starts_with("`") && raw.size() > 1)
    captured(code_.part(range.from + 1, range.to - 1), range, quoted, out);
  else if (raw.starts_with("${") && raw.ends_with("}")) braced(range, quoted, out);
  else if (raw == "$@" || raw == "$*") all_of(state_.arguments, raw[1] == '@', quoted, out);
  else if (raw == "$" || raw == "`") add_value(code_.part(range.from, range.to), quoted, out);
  else if (const PlacedText* value = value_of(std::string(raw.substr(1)), "")) add_value(*value, quoted, out);
  else add_open(range, quoted, out);
  --depth_;
}

void WordExpander::all_of(const std::vector<PlacedText>& values, bool apart, bool quoted, WordFields& out) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0 && manner_ == Manner::parted && (apart || !quoted)) out.end();
    else if (i > 0) out.word.add(' ', values[i].at.empty() ? 0 : values[i].at[0]);
    add_value(values[i], quoted, out);
    out.is_word = out.is_word || quoted;
  }
}

void WordExpander::computed(TextRange formula, TextRange range, bool quoted, WordFields& out) {
  const std::optional<int64_t> value = number_of(formula);
  if (value) add_value(computed_text(std::to_string(*value), code_.at[range.from]), quoted, out);
  else add_open(range, quoted, out);
}

std::optional<int64_t> WordExpander::number_of(TextRange formula) {
  WordExpander inside(code_, state_, capture_);
  inside.depth_ = depth_;
  const PlacedText text = inside.whole(formula);
  return text.is_open() ? std::nullopt : shell_arithmetic(text.text, state_);
}

void WordExpander::captured(const PlacedText& commands, TextRange range, bool quoted, WordFields& out) {
  const std::optional<PlacedText> printed = capture_(commands);
  if (printed) add_value(*printed, quoted, out);
  else add_open(range, quoted, out);
}

const PlacedText* WordExpander::value_of(const std::string& name, const std::string& key) {
  const auto made = [this](std::string text) { return &kept_.emplace_back(computed_text(std::move(text), 0)); };
  if (const ShellVariable* variable = state_.find(name)) return variable->find(key.empty() ? "0" : key);
  if (name == "BASH_SOURCE" || name == "0") return made(state_.script_name);
  if (name == "#") return state_.has_arguments ? made(std::to_string(state_.arguments.size())) : nullptr;
  if (name.empty() || !std::ranges::all_of(name, dsl::is_digit)) return nullptr;
  const size_t n = name.size() < 4 ? std::stoul(name) : state_.arguments.size() + 1;
  if (n <= state_.arguments.size()) return &state_.arguments[n - 1];
  return state_.has_arguments ? made("") : nullptr;
}

std::string WordExpander::key_of(TextRange raw) {
  WordExpander inside(code_, state_, capture_);
  inside.depth_ = depth_;
  const std::string text = inside.whole(raw).text;
  const std::optional<int64_t> number = shell_arithmetic(text, state_);
  return number && !text.empty() ? std::to_string(*number) : text;
}

/// "${NAME}", "${NAME[KEY]}", "${#NAME}", "${!NAME}", up to the operation behind the name.
WordExpander::BracedName WordExpander::name_in(TextRange range) {
  BracedName out{.all = range};
  size_t at = range.from + 2;
  const size_t end = range.to - 1;
  out.counts = text_[at] == '#' && at + 1 < end;
  out.points = text_[at] == '!' && at + 1 < end;
  at += out.counts || out.points;
  size_t n = name_length(std::string_view(text_).substr(at, end - at));
  if (n == 0 && at < end && std::strchr("@*#?", text_[at])) n = 1;
  else if (n == 0)
    while (at + n < end && dsl::is_digit(text_[at + n])) ++n;
  out.name = text_.substr(at, n);
  at += n;
  TextRange index{at, at};
  if (at < end && text_[at] == '[') {
    const size_t close = std::min(text_.find(']', at), end);
    index = {at + 1, close};
    at = std::min(close + 1, end);
  }
  const std::string_view key = index.in(text_);
  out.is_list = key == "@" || key == "*" || out.name == "@" || out.name == "*";
  out.is_apart = key == "@" || out.name == "@";
  if (!out.is_list && !key.empty()) out.key = key_of(index);
  out.operation = {at, end};
  return out;
}

void WordExpander::braced(TextRange range, bool quoted, WordFields& out) {
  BracedName b = name_in(range);
  const bool is_plain = b.operation.from == b.operation.to;
  if (b.is_list) return b.points ? add_open(range, quoted, out) : listed(b, range, quoted, out);
  if (b.points) {
    const PlacedText* pointer = value_of(b.name, b.key);
    if (!pointer || pointer->is_open()) return add_open(range, quoted, out);
    b.name = pointer->text, b.key.clear();
  }
  const PlacedText* value = value_of(b.name, b.key);
  if (b.counts) {
    if (!value || value->is_open() || !is_plain) return add_open(range, quoted, out);
    return add_value(computed_text(std::to_string(value->text.size()), code_.at[range.from]), quoted, out);
  }
  if (is_plain) return value ? add_value(*value, quoted, out) : add_open(range, quoted, out);
  if (or_default(b, value, quoted, out)) return;
  if (!value || value->is_open()) return add_open(range, quoted, out);
  changed(PlacedText(*value), b.operation, range, quoted, out);
}

/// All values of a list, or their number.
void WordExpander::listed(const BracedName& b, TextRange range, bool quoted, WordFields& out) {
  std::vector<PlacedText> values = state_.arguments;
  if (b.name != "@" && b.name != "*") {
    values.clear();
    const ShellVariable* list = state_.find(b.name);
    if (!list) return add_open(range, quoted, out);
    for (const auto& item : list->items) values.push_back(item.second);
  }
  const bool is_known = b.operation.from == b.operation.to || slice(values, b.operation);
  if (!is_known) return add_open(range, quoted, out);
  if (!b.counts) return all_of(values, b.is_apart, quoted, out);
  add_value(computed_text(std::to_string(values.size()), code_.at[range.from]), quoted, out);
}

/// ":FROM" or ":FROM:LENGTH" of a list; false: another operation. "$1" has the place 1.
bool WordExpander::slice(std::vector<PlacedText>& values, TextRange operation) {
  if (text_[operation.from] != ':') return false;
  const size_t second = std::min(text_.find(':', operation.from + 1), operation.to);
  const std::optional<int64_t> from = number_of({operation.from + 1, second});
  const std::optional<int64_t> count = second < operation.to ? number_of({second + 1, operation.to}) : int64_t{1} << 20;
  if (!from || !count || *from < 0 || *count < 0) return false;
  const bool is_arguments = text_[operation.from - 1] != ']';
  const auto begin = std::min<size_t>(static_cast<size_t>(std::max<int64_t>(0, *from - is_arguments)), values.size());
  const size_t end = std::min(values.size(), begin + static_cast<size_t>(*count));
  values = {values.begin() + static_cast<std::ptrdiff_t>(begin), values.begin() + static_cast<std::ptrdiff_t>(end)};
  return true;
}

/// What stands for a name that nothing sets, or (":") that is empty; false: the operation is another one.
bool WordExpander::or_default(const BracedName& b, const PlacedText* value, bool quoted, WordFields& out) {
  const size_t at = b.operation.from, end = b.operation.to;
  const bool colon = text_[at] == ':', is_empty = !value || (colon && value->bare().empty());
  const char sign = at + colon < end ? text_[at + colon] : ' ';
  const TextRange word{std::min(at + colon + 1, end), end};
  if (sign != '-' && sign != '=' && sign != '+' && sign != '?') return false;
  if (sign == '+') {
    if (!is_empty) expand(word, quoted, out);
  } else if (!is_empty) {
    add_value(*value, quoted, out);
  } else if (sign == '-') {
    expand(word, quoted, out);
  } else if (sign == '?') {
    add_open(b.all, quoted, out);
  } else {
    WordExpander apart(code_, state_, capture_);
    state_.set(b.name, apart.whole(word));
    add_value(*state_.find(b.name)->find("0"), quoted, out);
  }
  return true;
}

}  // namespace planner::shell
