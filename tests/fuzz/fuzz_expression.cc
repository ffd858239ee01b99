// libFuzzer: any text as an expression. It must be parsed or refused with a place, never crash, hang
// or yield a number that is not finite; a value that comes out is written and read back the same.
#include <cmath>

#include "dsl/expression_tree.h"
#include "tests/fuzz/fuzz.h"

namespace {

bool finite(const dsl::Value& value) {
  if (const auto* x = std::get_if<dsl::Number>(&value.v)) return std::isfinite(x->value);
  if (const auto* list = std::get_if<dsl::List>(&value.v))
    for (const dsl::Value& item : *list)
      if (!finite(item)) return false;
  return true;
}

std::optional<dsl::Value> resolve(const std::string& name, dsl::Span) {
  if (name == "tp") return dsl::Value{dsl::Number{8, {}}};
  if (name == "model.layers") return dsl::Value{dsl::Number{96, {}}};
  if (name == "cluster.gpu.memory") return dsl::Value{dsl::Number{85899345920.0, dsl::kData}};
  if (name == "job.precision") return dsl::Value{std::string("bf16")};
  if (name == "broken") return dsl::Value{};
  return std::nullopt;
}

std::optional<dsl::Value> value_of(const std::string& text, bool dry, dsl::Diagnostics& diagnostics) {
  const dsl::Source source{"fuzz", text, ""};
  const dsl::ExprPtr tree = dsl::parse_expression(text, {&source, 1, 1, static_cast<int>(text.size())}, diagnostics);
  dsl::Budget budget;
  std::optional<dsl::Value> value;
  if (tree) value = dsl::walk(*tree, resolve, diagnostics, {"tp", "model.layers"}, dry, budget);
  for (const dsl::Diagnostic& d : diagnostics.list) dsl::render(d);
  diagnostics.list.resize(diagnostics.list.empty() ? 0 : 1);  // their sources end here
  if (budget.depth != 0) std::abort();
  return value;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text = fuzz::text_of(data, size);
  dsl::Diagnostics diagnostics, again;
  value_of(text, true, again);
  again = {};
  const std::optional<dsl::Value> value = value_of(text, false, diagnostics);
  if (!value && diagnostics.list.empty() && text.find("broken") == std::string::npos) std::abort();
  if (!value) return 0;
  if (!finite(*value)) std::abort();
  const std::string written = dsl::to_text(*value);
  if (std::holds_alternative<std::string>(value->v) || written.size() > 4000) return 0;
  const std::optional<dsl::Value> back = value_of(written, false, again);
  if (!back || !(*back == *value)) std::abort();
  return 0;
}
