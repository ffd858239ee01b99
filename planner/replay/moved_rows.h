// Memory-bound operators of PyTorch: which inputs they read, and what they write.
#pragma once

#include <cstdint>
#include <string_view>

namespace planner::replay {

/// The traffic of an operator of PyTorch (aten/src/ATen/native/native_functions.yaml). A digit is the place of an
/// input; an input that is a number, or absent, moves nothing.
struct MovedRow {
  static constexpr int8_t kLastSize = -1;

  std::string_view name;  // without "_foreach_" in front, and without the "_" of in-place operators
  std::string_view op;    // as `calibrate vector` calls it
  std::string_view reads;
  std::string_view writes;  // "*": all inputs, broadcast, of the widest type; "b": a byte for each element of them
  bool backward = false;
  int8_t width = kLastSize;         // the input that is as large as a row; kLastSize: the last dimension of the inputs
  std::string_view unchanged = {};  // `op` if output and input have the same type
};

/// Its row, and whether it writes its first input alone.
struct FoundRow {
  const MovedRow* row = nullptr;  // null: it is in no table
  bool in_place = false;
};
/// Returns the row of an operator ("aten::add_", "aten::_foreach_mul").
FoundRow moved_row(std::string_view name);

/// Rows of a table, or of its gradient, which is the first input; as many as the second input has numbers.
struct LookupRow {
  std::string_view name;
  bool backward = false;
};
/// null: the operator is not in the table.
const LookupRow* lookup_row(std::string_view name);

}  // namespace planner::replay
