#include "planner/scenario/layer_row.h"

#include <algorithm>

#include "dsl/raw_text.h"

namespace planner {
namespace {

/// Reads a pattern by recursive descent: letters, and groups in brackets that come again.
class PatternReader {
 public:
  explicit PatternReader(const std::string& text) : text_(text) {}

  PatternLetters read() {
    out_.letters = run(0);
    if (out_.wrong == std::string::npos && at_ < text_.size()) fail(at_, "no '(' stands before this ')'");
    return std::move(out_);
  }

 private:
  static constexpr int kDeepest = 16;

  bool good() const { return out_.wrong == std::string::npos; }
  void fail(size_t at, const char* why) {
    if (!good()) return;
    out_.wrong = at;
    out_.why = why;
  }

  // The repetition count "x4" of the part before; 1 if it is missing.
  size_t times() {
    if (at_ + 1 >= text_.size() || text_[at_] != 'x' || !dsl::is_digit(text_[at_ + 1])) return 1;
    int64_t n = 0;
    for (++at_; at_ < text_.size() && dsl::is_digit(text_[at_]); ++at_)
      n = std::min(kMostLayers + 1, 10 * n + (text_[at_] - '0'));
    return static_cast<size_t>(n);
  }

  std::string run(int depth) {
    std::string letters;
    while (at_ < text_.size() && text_[at_] != ')' && good()) {
      const char c = text_[at_];
      if (dsl::is_blank(c) || c == '|') {
        ++at_;
        continue;
      }
      const std::string piece = c == '(' ? group(depth) : std::string(1, text_[at_++]);
      const size_t from = at_, n = times();
      if (n == 0) fail(from, "a part comes at least once");
      if (static_cast<int64_t>(letters.size() + n * piece.size()) > kMostLayers)
        return fail(from, "more than 100000 layers"), letters;
      for (size_t i = 0; i < n; ++i) letters += piece;
    }
    return letters;
  }

  std::string group(int depth) {
    const size_t open = at_++;
    if (depth == kDeepest) return fail(open, "more than 16 brackets inside one another"), "";
    std::string letters = run(depth + 1);
    if (at_ >= text_.size()) return fail(open, "the bracket is never closed"), "";
    ++at_;
    return letters;
  }

  const std::string& text_;
  PatternLetters out_;
  size_t at_ = 0;
};

}  // namespace

PatternLetters expand_pattern(const std::string& pattern) { return PatternReader(pattern).read(); }

std::vector<LayerStep> settled_steps(const LayerRow& row, int64_t hidden) {
  std::vector<LayerStep> steps = row.steps;
  int64_t here = hidden, beside = 0;  // values of the last result, and of results that no step has read yet
  for (LayerStep& step : steps) {
    const bool branches = step.reads == StepInput::input;
    if (branches && &step != &steps.front()) beside += here;
    if (step.in == 0) step.in = branches ? hidden : here + beside;
    if (step.out == 0 && step.kind != StepKind::weights) step.out = step.in;
    if (step.kind == StepKind::weights) continue;
    if (!branches) beside = 0;
    here = step.out;
  }
  return steps;
}

double step_matrix(const LayerStep& step) {
  return step.kind == StepKind::linear ? static_cast<double>(step.in) * static_cast<double>(step.out) : 0;
}

double step_vectors(const LayerStep& step, const LayerRow& row) {
  const auto out = static_cast<double>(step.out), bias = step.bias ? out : 0;
  if (step.parameters) return static_cast<double>(*step.parameters) + bias;
  switch (step.kind) {
    case StepKind::linear:
      return bias;
    case StepKind::convolution:
      return out * static_cast<double>(row.kernel) + bias;
    case StepKind::norm:
    case StepKind::weights:
      return out;
    case StepKind::activation:
    case StepKind::scan:
      break;
  }
  return 0;
}

double recurrence_flops(const LayerRow& row) {
  using operator_models::ScanRule;
  const bool more = row.rule == ScanRule::selective || row.rule == ScanRule::rwkv7;
  const double each = more ? 9 : row.rule == ScanRule::decay ? 5 : 7;
  return each * static_cast<double>(row.heads) * static_cast<double>(row.key_dim) * static_cast<double>(row.value_dim);
}

int parts_of(const LayerRow& row) {
  return (row.mixer != Mixer::none ? 1 : 0) + (row.feed_forward != FeedForward::none ? 1 : 0);
}

double attended_keys(const LayerRow& row, double sequence, bool halved) {
  if (row.indexer.heads == 0 && row.compression == 1) return 0;
  const double seen = std::max(1.0, sequence / ((halved ? 2.0 : 1.0) * static_cast<double>(row.compression)));
  const double chosen = static_cast<double>(row.indexer.top_k * row.indexer.block);
  return std::min(sequence, (row.indexer.heads > 0 ? std::min(chosen, seen) : seen) + static_cast<double>(row.window));
}

}  // namespace planner
