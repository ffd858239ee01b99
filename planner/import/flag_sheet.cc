#include "planner/import/flag_sheet.h"

namespace planner {

void FlagSheet::put(const std::string& flag, const dsl::Entry& e) {
  if (e.value.kind == dsl::Node::Kind::null) return;
  keys[flag] = e.key;
  command.words.push_back({flag, e.key_span});
  if (e.value.kind == dsl::Node::Kind::scalar) command.words.push_back({e.value.text, e.value.span});
  for (const dsl::Node& item : e.value.items) command.words.push_back({item.text, item.span});
}

void FlagSheet::put_default(const std::string& flag, const std::string& value, const char* title,
                            const dsl::Span& place) {
  keys[flag] = "default of " + std::string(title) + ": " + flag.substr(2);
  command.words.push_back({flag, place});
  command.words.push_back({value, place});
}

void FlagSheet::put_line(const ShellCommand& line) {
  bool begun = false;  // what is in front of the first flag would be values of the last one here
  for (const ShellWord& word : line.words) {
    begun = begun || word.text.starts_with("--");
    if (!begun) continue;
    if (word.text.starts_with("--")) keys.erase(word.text.substr(0, word.text.find('=')));
    command.words.push_back(word);
  }
}

std::string flag_of_key(const std::string& key) { return key.starts_with("--") ? key : "--" + key; }

}  // namespace planner
