// Words of a script as the words that a command gets (Bash Reference Manual, 3.5 "Shell Expansions"): variables,
// arithmetic, commands in words, quotes, and the parting at blanks. Braces, tildes and patterns of files stay as
// written.
#pragma once

#include <functional>
#include <vector>

#include "planner/shell/state.h"

namespace planner::shell {

/// Returns what the commands of a text print; nullopt: that is not known.
using CaptureOutput = std::function<std::optional<PlacedText>(const PlacedText& commands)>;

/// The words that are made of raw text.
struct WordFields {
  std::vector<PlacedText> done;
  PlacedText word;
  bool is_word = false;  // even without text: "" is a word, an empty variable is not

  void end();
};

class WordExpander {
 public:
  WordExpander(const PlacedText& code, ScriptState& state, const CaptureOutput& capture)
      : code_(code), text_(code.text), state_(state), capture_(capture) {}

  /// Returns the words that the word becomes.
  std::vector<PlacedText> fields(TextRange word);
  /// Returns the text that it becomes where nothing is parted: a value, the subject of a case, an operand of "[[".
  PlacedText whole(TextRange word);
  /// Likewise as a pattern: quoted characters stand for themselves.
  PlacedText pattern(TextRange word);
  /// Returns lines behind "<<", whose quotes are plain characters.
  PlacedText lines(TextRange range);

 private:
  enum class Manner { parted, whole, pattern };

  void expand(TextRange range, bool quoted, WordFields& out);
  void double_quoted(TextRange inside, WordFields& out);
  void add_quoted(char c, uint32_t place, WordFields& out);
  /// Adds a value; blanks part words outside quotes.
  void add_value(const PlacedText& value, bool quoted, WordFields& out);
  /// "$..." or `...`.
  void expansion(TextRange range, bool quoted, WordFields& out);
  /// "${NAME}" and what is done with it.
  struct BracedName {
    std::string name, key;                   // "": no key
    bool counts = false, points = false;     // "#", "!"
    bool is_list = false, is_apart = false;  // "[*]", "[@]"
    TextRange all, operation;
  };
  BracedName name_in(TextRange range);
  void braced(TextRange range, bool quoted, WordFields& out);
  void listed(const BracedName& b, TextRange range, bool quoted, WordFields& out);
  bool slice(std::vector<PlacedText>& values, TextRange operation);
  bool or_default(const BracedName& b, const PlacedText* value, bool quoted, WordFields& out);
  std::optional<PlacedText> part_of(const PlacedText& value, TextRange operation);
  void changed(const PlacedText& value, TextRange operation, TextRange range, bool quoted, WordFields& out);
  void computed(TextRange formula, TextRange range, bool quoted, WordFields& out);
  void captured(const PlacedText& commands, TextRange range, bool quoted, WordFields& out);
  void all_of(const std::vector<PlacedText>& values, bool apart, bool quoted, WordFields& out);
  void add_open(TextRange range, bool quoted, WordFields& out) { add_value(open(range), quoted, out); }
  PlacedText open(TextRange range) const;
  /// Returns null if nothing sets it. `key`: "" of a plain name.
  const PlacedText* value_of(const std::string& name, const std::string& key);
  std::string key_of(TextRange raw);
  std::optional<int64_t> number_of(TextRange formula);

  const PlacedText& code_;
  const std::string& text_;
  ScriptState& state_;
  const CaptureOutput& capture_;
  Manner manner_ = Manner::parted;
  std::deque<PlacedText> kept_;  // values that are made for a lookup
  bool keeps_quotes_ = false;
  int depth_ = 0;
};

/// Returns the words of a raw word with braces: "a{1,2}" is "a1" and "a2".
std::vector<PlacedText> brace_words(const PlacedText& raw);

/// Returns whether the text fits the pattern (Bash Reference Manual, 3.5.8.1).
bool fits_pattern(const std::string& text, const std::string& pattern);

}  // namespace planner::shell
