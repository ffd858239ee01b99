#include "planner/workload/label.h"

#include <mutex>
#include <unordered_set>

namespace planner {
namespace {

// The same pointer for the same text: a model's own list of operators has few names, however often it is lowered.
const char* kept(const std::string& text) {
  static std::mutex mutex;
  static std::unordered_set<std::string> texts;
  const std::lock_guard lock(mutex);
  return texts.insert(text).first->c_str();
}

}  // namespace

Label::Label(const std::string& text) : words_{text.empty() ? nullptr : kept(text)} {}

std::string Label::str() const {
  std::string text;
  for (const char* word : words_)
    if (word) text += word;
  return text;
}

}  // namespace planner
