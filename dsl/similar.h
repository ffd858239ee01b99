// Which of several names a word may have been meant for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dsl {

/// Whether a name has all words and numbers of another, in this order ("dgx-a100-80gb" those of "A100"), case aside.
bool has_words(std::string_view name, std::string_view word);

/// Returns the candidates that `word` may mean, best first; empty if nothing is similar. In this order:
/// - the same letters and digits, apart from an s at the end;
/// - all its words and numbers and more, the fewest extra first ("A100-80GB": a100-pcie-80gb, a100-sxm-80gb; "gpt":
/// gpt2, gpt3-175b);
/// - a typing mistake (edits of at most a third of its length) outside numbers and short marks, because "a100" and
/// "h100" are different things;
/// - its letters together ("deep": deepseek-v3);
/// - candidates all of whose words and numbers it has ("num_leaves": leaves);
/// - the same beginning.
std::vector<std::string> similar(std::string_view word, const std::vector<std::string>& candidates);

/// "did you mean 'X'?", "did you mean 'X' or 'Y'?" for these names, or "".
std::string did_you_mean(const std::vector<std::string>& names);
/// The same for the names similar to `word`.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace dsl
