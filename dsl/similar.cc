#include "dsl/similar.h"

#include <algorithm>
#include <array>
#include <utility>

#include "dsl/raw_text.h"

namespace dsl {
namespace {

constexpr size_t kLongest = 80;  // longer names are not typing mistakes; keeps the search cheap
constexpr size_t kShown = 4;     // names in one message
// Letters of a name that is found inside another: as a word of it, as some letters of it, as a whole, as its beginning.
constexpr size_t kLeastInside = 3, kLeastLetters = 4, kLeastWhole = 3, kLeastBeginning = 4;

using Names = std::vector<std::string>;
using Parts = std::vector<std::string>;

// Words and numbers in small letters: "A100-TEA_1.5" is a, 100, tea, 1.5.
Parts parts_of(std::string_view text) {
  Parts out;
  char before = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = small(text[i]);
    const bool point = c == '.' && is_digit(before) && i + 1 < text.size() && is_digit(text[i + 1]);
    if (!point && (!is_name_char(c) || c == '_')) {
      before = 0;
      continue;
    }
    const bool joins = before != 0 && (point || is_digit(c)) == (is_digit(before) || before == '.');
    if (!joins) out.emplace_back();
    out.back() += c;
    before = c;
  }
  return out;
}

std::string squeezed(const Parts& parts) {
  std::string out;
  for (const std::string& part : parts) out += part;
  return out;
}

// Whether `many` contains all of `few`, in this order.
bool holds(const Parts& many, const Parts& few) {
  size_t found = 0;
  for (const std::string& part : many)
    if (found < few.size() && part == few[found]) ++found;
  return found == few.size() && !few.empty();
}

// As many edits are needed for the letters alone, whatever their order; quick to find.
size_t letters_apart(std::string_view a, std::string_view b) {
  std::array<int, 256> count{};
  for (const char c : a) ++count[static_cast<unsigned char>(small(c))];
  for (const char c : b) --count[static_cast<unsigned char>(small(c))];
  size_t more = 0, less = 0;
  for (const int n : count) n > 0 ? more += static_cast<size_t>(n) : less += static_cast<size_t>(-n);
  return std::max(more, less);
}

// Edits (insert, delete, replace, swap neighbours) between two words, case ignored.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> two(b.size() + 1), one(b.size() + 1), now(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) one[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const bool same = small(a[i - 1]) == small(b[j - 1]);
      now[j] = std::min({one[j] + 1, now[j - 1] + 1, one[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && small(a[i - 1]) == small(b[j - 2]) && small(a[i - 2]) == small(b[j - 1]))
        now[j] = std::min(now[j], two[j - 2] + 1);
    }
    std::swap(two, one);
    std::swap(one, now);
  }
  return one[b.size()];
}

// The digits of a name, and the words of one or two letters next to them: they distinguish similar names.
std::string mark_of(const Parts& parts) {
  std::string out;
  const auto is_number = [&](size_t i) { return i < parts.size() && is_digit(parts[i][0]); };
  for (size_t i = 0; i < parts.size(); ++i)
    if (is_number(i) || (parts[i].size() < 3 && (is_number(i + 1) || (i > 0 && is_number(i - 1))))) out += parts[i];
  std::sort(out.begin(), out.end());  // "ab21" is still ab12
  return out;
}

std::string_view singular(std::string_view word) { return word.substr(0, word.size() - (word.ends_with('s') ? 1 : 0)); }

struct NameCandidate {
  const std::string* name;
  Parts parts;
};

// The candidates that fit, those of the least cost first; `cost` says npos for one that does not fit.
template <class Cost> Names all_by(const std::vector<NameCandidate>& candidates, Cost cost) {
  std::vector<std::pair<size_t, std::string>> out;
  for (const NameCandidate& c : candidates)
    if (const size_t its = cost(c); its != std::string::npos) out.emplace_back(its, *c.name);
  std::sort(out.begin(), out.end());
  Names names;
  for (auto& [its, name] : out) names.push_back(std::move(name));
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

// Those of the least cost alone.
template <class Cost> Names best(const std::vector<NameCandidate>& candidates, Cost cost) {
  Names out;
  size_t least = std::string::npos;
  for (const NameCandidate& c : candidates) {
    const size_t its = cost(c);
    if (its == std::string::npos || its > least) continue;
    if (its < least) out.clear();
    least = its;
    out.push_back(*c.name);
  }
  return out;
}

constexpr size_t kNot = std::string::npos;

Names mistyped(std::string_view word, const Parts& parts, const std::vector<NameCandidate>& candidates) {
  const std::string mark = mark_of(parts);
  const bool has_digits = std::ranges::any_of(word, is_digit);
  const auto cost = [&](const NameCandidate& c) {
    const size_t longer = std::max(c.name->size(), word.size()), shorter = std::min(c.name->size(), word.size());
    const size_t most = word.size() / 3;
    if (longer - shorter > most || (has_digits && mark_of(c.parts) != mark)) return kNot;
    if (letters_apart(word, *c.name) > most) return kNot;
    const size_t edits = distance(word, *c.name);
    return edits <= most ? edits : kNot;
  };
  Names found = best(candidates, cost);
  if (found.size() > 2) found.resize(1);
  return found;
}

// Names of which the word is a word, those with the fewest beside it first.
Names with_words(const Parts& parts, const std::vector<NameCandidate>& candidates) {
  const size_t letters = squeezed(parts).size();
  if (letters < kLeastInside) return {};
  // A short word is found where names begin: "gpt", but not the "all" of a hundred paths.
  return all_by(candidates, [&](const NameCandidate& c) {
    const bool begins = letters >= kLeastLetters || (!c.parts.empty() && c.parts[0] == parts[0]);
    return begins && holds(c.parts, parts) ? c.parts.size() : kNot;
  });
}

// Names in which the word's letters stand together: "deep", "mega".
Names with_letters(const std::string& letters, const std::vector<NameCandidate>& candidates) {
  if (letters.size() < kLeastLetters) return {};
  const auto cost = [&](const NameCandidate& c) { return squeezed(c.parts).find(letters); };
  return std::ranges::any_of(letters, is_digit) ? Names{} : all_by(candidates, cost);
}

// Names that begin with the same words and numbers.
Names relatives(const Parts& parts, const std::vector<NameCandidate>& candidates) {
  const auto cost = [&](const NameCandidate& c) {
    size_t same = 0, letters = 0;
    while (same < parts.size() && same < c.parts.size() && parts[same] == c.parts[same])
      letters += parts[same++].size();
    return same > 0 ? kLongest - letters : kNot;
  };
  return parts.size() < 2 || parts[0].size() < kLeastBeginning ? Names{} : best(candidates, cost);
}

}  // namespace

bool has_words(std::string_view name, std::string_view word) { return holds(parts_of(name), parts_of(word)); }

std::vector<std::string> similar(std::string_view word, const std::vector<std::string>& candidates) {
  if (word.empty() || word.size() > kLongest) return {};
  const Parts parts = parts_of(word);
  const std::string letters = squeezed(parts);
  std::vector<NameCandidate> all;
  for (const std::string& name : candidates)
    if (!name.empty() && name.size() <= kLongest) all.push_back({&name, parts_of(name)});
  Names found = best(all, [&](const NameCandidate& c) {
    const std::string its = squeezed(c.parts);
    if (letters.empty() || singular(its) != singular(letters)) return kNot;
    return its == letters ? size_t{0} : size_t{1};
  });
  if (found.empty())
    if (Names inside = with_words(parts, all); !inside.empty()) return inside;
  if (found.empty()) found = mistyped(word, parts, all);
  if (found.empty())
    if (Names inside = with_letters(letters, all); !inside.empty()) return inside;
  if (found.empty())
    found = best(all, [&](const NameCandidate& c) {
      const size_t size = squeezed(c.parts).size();
      return size >= kLeastWhole && holds(parts, c.parts) ? letters.size() - size : kNot;
    });
  if (found.empty()) found = relatives(parts, all);
  std::stable_sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::string did_you_mean(const std::vector<std::string>& names) {
  if (names.empty()) return "";
  std::string out = "did you mean ";
  const size_t shown = std::min(names.size(), kShown);
  for (size_t i = 0; i < shown; ++i) {
    const bool last = i + 1 == names.size();
    out += (i == 0 ? "'" : last ? " or '" : ", '") + names[i] + "'";
  }
  if (names.size() > shown) out += " or one of " + std::to_string(names.size() - shown) + " more";
  return out + "?";
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  return did_you_mean(similar(word, candidates));
}

}  // namespace dsl
