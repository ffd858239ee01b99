// The repetitions of an Extra-P experiment (4.1 and later), stored next to its JSON: members values/N.indx and
// values/N.vals, each a sequence of arrays in NumPy's format NPY.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "planner/unpack/zip.h"

namespace planner::scaling {

class ExtrapValues {
 public:
  ExtrapValues(const dsl::Source& archive, const std::vector<unpack::ZipMember>& members, dsl::Diagnostics& diagnostics)
      : archive_(archive), members_(members), diagnostics_(diagnostics) {}

  /// Returns the array that `chunk` and `index` name; it is empty where it is not there or not readable (diagnosed at
  /// `place`).
  std::vector<double> read(size_t chunk, size_t index, dsl::Span place);

 private:
  const std::string* member(const std::string& name, std::string_view mark);
  /// Adds `more` to `taken`; false (diagnosed once) above `most`.
  bool may_take(size_t& taken, size_t more, size_t most);

  const dsl::Source& archive_;
  const std::vector<unpack::ZipMember>& members_;
  dsl::Diagnostics& diagnostics_;
  std::map<std::string, std::optional<std::string>> unpacked_;
  size_t unpacked_bytes_ = 0, numbers_ = 0;
  bool too_much_ = false;
};

}  // namespace planner::scaling
