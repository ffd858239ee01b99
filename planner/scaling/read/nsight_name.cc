#include "planner/scaling/read/nsight_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "dsl/csv.h"
#include "dsl/raw_text.h"

namespace planner::scaling {
namespace {

constexpr const char* kConvention = "profiles are named app.p4.r1.mpi0.sqlite: parameters, repetition, rank";

// The number behind `prefix`, if that is all there is.
std::optional<long> number_behind(std::string_view part, std::string_view prefix) {
  long number = 0;
  if (!part.starts_with(prefix) || part.size() == prefix.size()) return std::nullopt;
  const char* end = part.data() + part.size();
  const auto read = std::from_chars(part.data() + prefix.size(), end, number);
  if (read.ec != std::errc() || read.ptr != end || number < 0) return std::nullopt;
  return number;
}

class NameReader {
 public:
  NameReader(const dsl::Source& source, dsl::Diagnostics& diagnostics)
      : source_(source), text_(source.text), diagnostics_(diagnostics) {}

  std::optional<ProfileName> read() {
    if (text_.ends_with(".sqlite")) text_.remove_suffix(7);
    size_t at = std::min(text_.find('.'), text_.size());
    name_.app = text_.substr(0, at);
    while (at < text_.size()) {
      const size_t end = std::min(text_.find('.', at + 1), text_.size());
      if (!read_part(at + 1, end)) return std::nullopt;
      at = end;
    }
    if (!name_.parameters.empty()) return name_;
    fail(0, text_.size(), "the name says no parameter");
    return std::nullopt;
  }

 private:
  bool fail(size_t from, size_t to, std::string message) {
    const int column = static_cast<int>(from) + 1, length = static_cast<int>(to - from);
    diagnostics_.error({&source_, 1, column, length}, std::move(message), kConvention);
    return false;
  }

  bool read_part(size_t from, size_t to) {
    const std::string_view part = text_.substr(from, to - from);
    if (const auto rank = number_behind(part, "mpi")) return name_.rank = *rank, true;
    if (const auto repetition = number_behind(part, "r")) return name_.repetition = *repetition, true;
    return read_parameters(from, to);
  }

  // One parameter or several: p4, x2y8.
  bool read_parameters(size_t from, size_t to) {
    const auto is_value = [&](size_t i) { return dsl::is_digit(text_[i]) || text_[i] == ','; };
    for (size_t at = from; at < to || at == from;) {
      size_t digits = at, end;
      while (digits < to && !is_value(digits)) ++digits;
      for (end = digits; end < to && is_value(end);) ++end;
      std::string value(text_.substr(digits, end - digits));
      std::replace(value.begin(), value.end(), ',', '.');
      const auto number = dsl::cell_number(value);
      if (digits == at || !number)
        return fail(from, to,
                    fmt::format("expected a name and a number such as 'p4', got '{}'",
                                dsl::shortened(text_.substr(from, to - from))));
      name_.parameters.emplace_back(text_.substr(at, digits - at));
      name_.values.push_back(*number);
      at = end;
    }
    return true;
  }

  const dsl::Source& source_;
  std::string_view text_;
  dsl::Diagnostics& diagnostics_;
  ProfileName name_;
};

}  // namespace

std::optional<ProfileName> read_profile_name(const dsl::Source& source, dsl::Diagnostics& diagnostics) {
  return NameReader(source, diagnostics).read();
}

}  // namespace planner::scaling
