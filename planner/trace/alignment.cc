#include "planner/trace/alignment.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace planner::trace {
namespace {

/// A part of both sequences: [a0, a1) and [b0, b1).
struct Box {
  int64_t a0, a1, b0, b1;
  int64_t width() const { return a1 - a0; }
  int64_t height() const { return b1 - b0; }
  bool is_empty() const { return width() <= 0 || height() <= 0; }
};

/// A run of equal elements in the middle of a shortest path through a box, from (a0, b0) to (a1, b1); it may be empty.
struct Snake {
  int64_t a0, b0, a1, b1, edits;
};

constexpr int64_t kOff = std::numeric_limits<int64_t>::min() / 4;  // no path of so many edits is on a diagonal

class Aligner {
 public:
  Aligner(std::span<const uint32_t> a, std::span<const uint32_t> b, int64_t most_edits)
      : a_(a), b_(b), most_(most_edits), farthest_(a.size() + b.size() + 3), nearest_(a.size() + b.size() + 3) {}

  bool run() {
    std::vector<Box> open{{0, std::ssize(a_), 0, std::ssize(b_)}};
    for (bool whole = true; !open.empty(); whole = false) {
      const Box box = shorn(open.back());
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
  Box shorn(Box box) {
    for (; !box.is_empty() && equal(box.a0, box.b0); ++box.a0, ++box.b0) pair(box.a0, box.b0);
    for (; !box.is_empty() && equal(box.a1 - 1, box.b1 - 1); --box.a1, --box.b1) pair(box.a1 - 1, box.b1 - 1);
    return box;
  }

  int64_t& at(std::vector<int64_t>& reached, int64_t diagonal) const {
    return reached[static_cast<size_t>(diagonal + static_cast<int64_t>(reached.size() / 2))];
  }

  // Paths from both corners, one edit longer each time, until two of them meet. Diagonal k holds a - b = k within the
  // box, counted from its begin forwards and from its end backwards.
  std::optional<Snake> middle(const Box& box) {
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

  // Where the farthest path of so many edits begins on a diagonal, behind an element of a or of b that it leaves out.
  int64_t begin_of(std::vector<int64_t>& reached, const Box& box, int64_t edits, int64_t k) const {
    if (edits == 0) return 0;
    const auto within = [&](int64_t x) { return x >= 0 && x <= box.width() && x - k >= 0 && x - k <= box.height(); };
    const int64_t of_a = k == -edits ? kOff : at(reached, k - 1) + 1, of_b = k == edits ? kOff : at(reached, k + 1);
    return std::max(within(of_a) ? of_a : kOff, within(of_b) ? of_b : kOff);
  }

  std::optional<Snake> forward(const Box& box, int64_t edits, int64_t k, int64_t delta) {
    const int64_t x0 = begin_of(farthest_, box, edits, k);
    int64_t x = x0;
    while (x >= 0 && x < box.width() && x - k < box.height() && equal(box.a0 + x, box.b0 + x - k)) ++x;
    at(farthest_, k) = x;
    const int64_t other = delta - k;  // the same diagonal from the end
    const bool meets = delta % 2 != 0 && std::abs(other) <= edits - 1 && x + at(nearest_, other) >= box.width();
    if (!meets) return std::nullopt;
    return Snake{box.a0 + x0, box.b0 + x0 - k, box.a0 + x, box.b0 + x - k, 2 * edits - 1};
  }

  std::optional<Snake> backward(const Box& box, int64_t edits, int64_t k, int64_t delta) {
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

}  // namespace planner::trace
