// Which of several names a word may have been meant for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dsl {

/// Whether a name has all words and numbers of another, in this order ("dgx-a100-80gb" those of "A100"), case aside.
bool has_words(std::string_view name, std::string_view word);

/// The candidates that `word` may stand for, best first; none where nothing is like it. In this order:
/// the same letters and digits, an s at the end aside; all its words and numbers and more, least more first
/// ("A100-80GB": a100-pcie-80gb, a100-sxm-80gb; "gpt": gpt2, gpt3-175b); a typing mistake (edits of at most a third of
/// its length) that leaves numbers and short marks alone, because "a100" and "h100" are two things; its letters
/// together
/// ("deep": deepseek-v3); words and numbers of which it has all ("num_leaves": leaves); the same beginning.
std::vector<std::string> similar(std::string_view word, const std::vector<std::string>& candidates);

/// "did you mean 'X'?", "did you mean 'X' or 'Y'?" for these names, or "".
std::string did_you_mean(const std::vector<std::string>& names);
/// The same for what is similar to `word`.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace dsl
