#include "planner/trace/shapes.h"

#include <string>
#include <vector>

namespace planner::trace {
namespace {

bool is_decimal(char c) { return c >= '0' && c <= '9'; }

// Of "[[4, 3], [], [[8], [1]]]", by input, what has numbers: "4,3;", "", "8;1;".
std::vector<std::string> shapes_of(std::string_view list) {
  std::vector<std::string> shapes(1);
  int depth = 0;
  for (const char c : list) {
    std::string& shape = shapes.back();
    const bool in_shape = !shape.empty() && is_decimal(shape.back());
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (c == ',' && depth == 1) shapes.emplace_back();
    else if (is_decimal(c) || (c == ',' && in_shape)) shape += c;
    else if (c == ']' && in_shape) shape += ';';
  }
  return shapes;
}

}  // namespace

bool shapes_agree(std::string_view of_node, std::string_view of_event) {
  const std::vector<std::string> node = shapes_of(of_node), event = shapes_of(of_event);
  if (node.size() != event.size()) return false;
  for (size_t i = 0; i < node.size(); ++i)
    if (!event[i].empty() && event[i] != node[i]) return false;
  return true;
}

std::string shapes_alone(std::string_view list) {
  std::string alone;
  bool any = false;
  for (const std::string& shape : shapes_of(list)) {
    const bool one = shape.find(';') + 1 == shape.size();
    any |= one;
    alone += '[' + (one ? shape.substr(0, shape.size() - 1) : "") + ']';
  }
  return any ? alone : "";
}

}  // namespace planner::trace
