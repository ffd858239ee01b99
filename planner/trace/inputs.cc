#include "planner/trace/inputs.h"

#include <charconv>

#include "planner/trace/data_types.h"

namespace planner::trace {
namespace {

constexpr double kMostElements = 9007199254740992;  // 2^53: whole numbers as doubles

/// Reads lists of sizes up to three deep: of inputs, of the tensors of one, of the sizes of a tensor.
class ShapeReader {
 public:
  explicit ShapeReader(std::string_view text) : text_(text) {}

  std::vector<OperatorInput> read() {
    while (good_ && at_ < text_.size()) step();
    if (!good_ || depth_ != 0) return {};
    return std::move(inputs_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == '[' || c == '(') ++at_, open();
    else if (c == ']' || c == ')') ++at_, close();
    else if (c == ',' || c == ' ') ++at_;
    else number();
  }

  void open() {
    ++depth_;
    if (depth_ == 2) inputs_.push_back({.tensors = {Shape{}}});
    if (depth_ == 3) {
      std::vector<Shape>& tensors = inputs_.back().tensors;
      if (listed_) tensors.emplace_back();
      listed_ = true;
    }
    good_ = depth_ <= 3;
  }

  void close() {
    if (depth_ == 2) listed_ = false;
    good_ = --depth_ >= 0;
  }

  void number() {
    int64_t size = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), size);
    good_ = error == std::errc() && size >= 0 && depth_ >= 2 && (depth_ == 3) == listed_;
    if (!good_) return;
    inputs_.back().tensors.back().push_back(size);
    good_ = elements_of(inputs_.back().tensors.back()) <= kMostElements;
    at_ = static_cast<size_t>(end - text_.data());
  }

  std::string_view text_;
  std::vector<OperatorInput> inputs_;
  size_t at_ = 0;
  int depth_ = 0;
  bool listed_ = false;  // the input is a list of tensors
  bool good_ = true;
};

/// The words of "['float', \"Scalar\"]", in order.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (size_t at = 0; at < text.size();) {
    const size_t open = text.find_first_of("'\"", at);
    const size_t close = open == std::string_view::npos ? open : text.find(text[open], open + 1);
    if (close == std::string_view::npos) break;
    words.emplace_back(text.substr(open + 1, close - open - 1));
    at = close + 1;
  }
  return words;
}

}  // namespace

std::vector<OperatorInput> inputs_of(std::string_view shapes, std::string_view types) {
  std::vector<OperatorInput> inputs = ShapeReader(shapes).read();
  const std::vector<std::string> words = words_of(types);
  for (size_t i = 0; i < inputs.size() && i < words.size(); ++i) inputs[i].type = words[i];
  return inputs;
}

bool says_inputs(const RankTrace& rank, const Event& event) {
  const Detail* detail = rank.detail(event);
  return detail && detail->shapes != kNone && detail->types != kNone;
}

std::vector<OperatorInput> inputs_of(const RankTrace& rank, const Event& event) {
  const Detail* detail = rank.detail(event);
  if (!detail || detail->shapes == kNone) return {};
  return inputs_of(rank.names[detail->shapes], detail->types == kNone ? "" : rank.names[detail->types]);
}

double elements_of(const Shape& shape) {
  double elements = 1;
  for (const int64_t size : shape) elements *= static_cast<double>(size);
  return elements;
}

int64_t bytes_of(const std::vector<OperatorInput>& inputs) {
  double bytes = 0;
  bool known = false;
  for (const OperatorInput& input : inputs) {
    const int64_t size = bytes_of_type(input.type);
    if (size == 0) continue;
    known = true;
    for (const Shape& shape : input.tensors) bytes += elements_of(shape) * static_cast<double>(size);
  }
  return known && bytes <= kMostElements ? static_cast<int64_t>(bytes) : -1;
}

namespace {

bool is_decimal(char c) { return c >= '0' && c <= '9'; }

// Of "[[4, 3], [], [[8], [1]]]", by input, the ones with numbers: "4,3;", "", "8;1;".
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
