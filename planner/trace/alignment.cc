#include "planner/trace/alignment.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace planner::trace {
namespace {

/// A part of both sequences: [a0, a1) and [b0, b1).
struct AlignmentBox {
  int64_t a0, a1, b0, b1;
  int64_t width() const { return a1 - a0; }
  int64_t height() const { return b1 - b0; }
  bool is_empty() const { return width() <= 0 || height() <= 0; }
};

/// A run of equal elements in the middle of a shortest path through a box, from (a0, b0) to (a1, b1); it may be empty.
struct Snake {
  int64_t a0, b0, a1, b1, edits;
};

constexpr int64_t kOff = std::numeric_limits<int64_t>::min() / 4;  // no path with this number of edits is on a diagonal

class Aligner {
 public:
  Aligner(std::span<const uint32_t> a, std::span<const uint32_t> b, int64_t most_edits)
      : a_(a), b_(b), most_(most_edits), farthest_(a.size() + b.size() + 3), nearest_(a.size() + b.size() + 3) {}

  bool run() {
    std::vector<AlignmentBox> open{{0, std::ssize(a_), 0, std::ssize(b_)}};
    for (bool whole = true; !open.empty(); whole = false) {
      const AlignmentBox box = shorn(open.back());
      open.pop_back();
      if (box.is_empty()) {
        if (whole && box.width() + box.height() > most_) return false;
        continue;
      }
      const std::optional<Snake> snake = middle(box);
      if (!snake || snake->edits > most_) return false;
      for (int64_t i = 0; i < snake->a1 - snake->a0; ++i) pair(snake->a0 + i, snake->b0 + i);
      open.push_back({box.a0, snake->a0, box.b0, snake->b0});
      open.push_back({snake->a1, box.a1, snake->b1, box.b1});
    }
    std::ranges::sort(pairs_);
    return true;
  }
  Pairs take() { return std::move(pairs_); }

 private:
  bool equal(int64_t a, int64_t b) const { return a_[static_cast<size_t>(a)] == b_[static_cast<size_t>(b)]; }
  void pair(int64_t a, int64_t b) { pairs_.emplace_back(static_cast<uint32_t>(a), static_cast<uint32_t>(b)); }

  // What both begin and end with.
  AlignmentBox shorn(AlignmentBox box) {
    for (; !box.is_empty() && equal(box.a0, box.b0); ++box.a0, ++box.b0) pair(box.a0, box.b0);
    for (; !box.is_empty() && equal(box.a1 - 1, box.b1 - 1); --box.a1, --box.b1) pair(box.a1 - 1, box.b1 - 1);
    return box;
  }

  int64_t& at(std::vector<int64_t>& reached, int64_t diagonal) const {
    return reached[static_cast<size_t>(diagonal + static_cast<int64_t>(reached.size() / 2))];
  }

  // Paths from both corners, one edit longer each time, until two of them meet. Diagonal k holds a - b = k within the
  // box, counted from its begin forwards and from its end backwards.
  std::optional<Snake> middle(const AlignmentBox& box) {
    const int64_t delta = box.width() - box.height(), half = (box.width() + box.height() + 1) / 2;
    for (int64_t edits = 0; edits <= half; ++edits) {
      if (2 * edits - 1 > most_) return std::nullopt;
      for (int64_t k = -edits; k <= edits; k += 2)
        if (const auto snake = forward(box, edits, k, delta)) return snake;
      for (int64_t k = -edits; k <= edits; k += 2)
        if (const auto snake = backward(box, edits, k, delta)) return snake;
    }
    return std::nullopt;  // two paths have met before
  }

  // Where the farthest path with this number of edits begins on a diagonal, behind a skipped element of a or of b.
  int64_t begin_of(std::vector<int64_t>& reached, const AlignmentBox& box, int64_t edits, int64_t k) const {
    if (edits == 0) return 0;
    const auto within = [&](int64_t x) { return x >= 0 && x <= box.width() && x - k >= 0 && x - k <= box.height(); };
    const int64_t of_a = k == -edits ? kOff : at(reached, k - 1) + 1, of_b = k == edits ? kOff : at(reached, k + 1);
    return std::max(within(of_a) ? of_a : kOff, within(of_b) ? of_b : kOff);
  }

  std::optional<Snake> forward(const AlignmentBox& box, int64_t edits, int64_t k, int64_t delta) {
    const int64_t x0 = begin_of(farthest_, box, edits, k);
    int64_t x = x0;
    while (x >= 0 && x < box.width() && x - k < box.height() && equal(box.a0 + x, box.b0 + x - k)) ++x;
    at(farthest_, k) = x;
    const int64_t other = delta - k;  // the same diagonal from the end
    const bool meets = delta % 2 != 0 && std::abs(other) <= edits - 1 && x + at(nearest_, other) >= box.width();
    if (!meets) return std::nullopt;
    return Snake{box.a0 + x0, box.b0 + x0 - k, box.a0 + x, box.b0 + x - k, 2 * edits - 1};
  }

  std::optional<Snake> backward(const AlignmentBox& box, int64_t edits, int64_t k, int64_t delta) {
    const int64_t x0 = begin_of(nearest_, box, edits, k);
    int64_t x = x0;
    while (x >= 0 && x < box.width() && x - k < box.height() && equal(box.a1 - 1 - x, box.b1 - 1 - x + k)) ++x;
    at(nearest_, k) = x;
    const int64_t other = delta - k;
    const bool meets = delta % 2 == 0 && std::abs(other) <= edits && x + at(farthest_, other) >= box.width();
    if (!meets) return std::nullopt;
    return Snake{box.a1 - x, box.b1 - x + k, box.a1 - x0, box.b1 - x0 + k, 2 * edits};
  }

  std::span<const uint32_t> a_, b_;
  const int64_t most_;
  std::vector<int64_t> farthest_, nearest_;  // by diagonal: how far of a, from the begin and from the end
  Pairs pairs_;
};

}  // namespace

std::optional<Pairs> align(std::span<const uint32_t> a, std::span<const uint32_t> b, int64_t most_edits) {
  Aligner aligner(a, b, most_edits);
  if (!aligner.run()) return std::nullopt;
  return aligner.take();
}

namespace {

using AllPairs = std::vector<std::optional<Pairs>>;

// Pairing by steps replaces pairing of whole threads if it reaches this share of their pairs, or of all names.
constexpr double kAsGood = 0.95;

size_t count(const AllPairs& all) {
  size_t pairs = 0;
  for (const std::optional<Pairs>& each : all) pairs += each ? each->size() : 0;
  return pairs;
}

/// Where a step stands among the names of a thread.
struct StepSlice {
  size_t begin, end;
  std::span<const uint32_t> of(const std::vector<uint32_t>& names) const {
    return std::span(names).subspan(begin, end - begin);
  }
};
StepSlice part(const std::vector<size_t>& steps, size_t size, size_t step) {
  return {steps[step], step + 1 < steps.size() ? steps[step + 1] : size};
}

AllPairs whole(std::span<const ThreadPair> threads, int64_t most_edits) {
  AllPairs all;
  for (const ThreadPair& each : threads) all.push_back(align(each.a, each.b, most_edits));
  return all;
}

std::optional<Pairs> by_steps(const ThreadPair& threads, int64_t later, int64_t most_edits) {
  Pairs pairs;
  bool aligned = false;
  for (size_t i = 0; i < threads.a_steps.size(); ++i) {
    const int64_t j = static_cast<int64_t>(i) + later;
    if (j < 0 || j >= std::ssize(threads.b_steps)) continue;
    const StepSlice a = part(threads.a_steps, threads.a.size(), i),
                    b = part(threads.b_steps, threads.b.size(), static_cast<size_t>(j));
    const std::optional<Pairs> some = align(a.of(threads.a), b.of(threads.b), most_edits);
    if (!some) continue;
    aligned = true;
    for (const auto& [in_a, in_b] : *some)
      pairs.emplace_back(static_cast<uint32_t>(a.begin + in_a), static_cast<uint32_t>(b.begin + in_b));
  }
  return aligned ? std::optional(pairs) : std::nullopt;
}

AllPairs best_of_steps(std::span<const ThreadPair> threads, int64_t most_edits) {
  AllPairs best;
  const int64_t earliest = 1 - std::ssize(threads.front().a_steps), end = std::ssize(threads.front().b_steps);
  for (int64_t later = earliest; later < end; ++later) {
    AllPairs all;
    for (const ThreadPair& each : threads) all.push_back(by_steps(each, later, most_edits));
    if (best.empty() || count(all) > count(best)) best = std::move(all);
  }
  return best;
}

}  // namespace

std::vector<std::optional<Pairs>> align_threads(std::span<const ThreadPair> threads, int64_t most_edits) {
  if (threads.empty()) return {};
  const bool marked = threads.front().a_steps.size() > 1 || threads.front().b_steps.size() > 1;
  if (!marked) return whole(threads, most_edits);
  AllPairs steps = best_of_steps(threads, most_edits);
  size_t names = 0;
  for (const ThreadPair& each : threads) names += each.a.size();
  const auto found = static_cast<double>(count(steps));
  if (found >= kAsGood * static_cast<double>(names)) return steps;
  AllPairs all = whole(threads, most_edits);
  if (found >= kAsGood * static_cast<double>(count(all))) return steps;
  return all;
}

}  // namespace planner::trace
