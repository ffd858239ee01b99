// libFuzzer: any bytes as an execution trace. They must give nodes whose names exist, or a mistake.
#include "planner/trace/chakra.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  planner::unpack::ByteReader bytes([&] {
    const std::string_view piece = text.substr(0, 11);
    text.remove_prefix(piece.size());
    return piece;
  });
  planner::trace::Execution execution;
  const auto mistake = planner::trace::read_chakra(bytes, execution);
  fuzz::require(mistake.has_value() || !execution.nodes.empty());
  if (mistake) fuzz::require(!mistake->message.empty());
  for (const planner::trace::ExecutionNode& node : execution.nodes) {
    fuzz::require(node.name < execution.names.size() && node.duration_ns >= -1);
    fuzz::require(planner::trace::name_of(node.type) != nullptr);
  }
  return 0;
}
