#include "tests/planner/trace/kineto_text.h"

#include <memory>
#include <stdexcept>

#include "planner/trace/readers.h"
#include "tests/planner/trace/read_rank.h"

namespace sample {

planner::unpack::Supply pieces(const std::string& text, size_t bytes) {
  auto rest = std::make_shared<std::string>(text);
  auto at = std::make_shared<size_t>(0);
  return [=]() -> std::string_view {
    const std::string_view piece = std::string_view(*rest).substr(*at, bytes);
    *at += piece.size();
    return piece;
  };
}

std::optional<planner::trace::RankTrace> rank(const std::string& text, std::string* messages, bool skip_broken) {
  dsl::Diagnostics diagnostics;
  auto read = planner::trace::read_rank({"a.json", pieces(text)}, skip_broken, diagnostics);
  if (messages) messages->clear();
  for (const dsl::Diagnostic& d : diagnostics.list)
    if (messages) *messages += d.message + "\n";
  return read;
}

planner::trace::Trace trace(const std::vector<KinetoText>& ranks) {
  std::vector<planner::trace::RankTrace> read;
  dsl::Diagnostics diagnostics;
  for (const KinetoText& each : ranks) read.push_back(rank(each.text()).value());
  auto ordered = planner::trace::order_ranks(std::move(read), diagnostics);
  if (!ordered) throw std::runtime_error("ranks do not fit");
  return *std::move(ordered);
}

}  // namespace sample
