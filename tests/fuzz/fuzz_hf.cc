// libFuzzer: any text as a Hugging Face configuration. It must end in the fields of a model or in messages with places.
#include <cstdint>
#include <cstdlib>

#include "planner/import/hf.h"
#include "planner/scenario/scenario.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const dsl::Source source{"config.json", std::string(reinterpret_cast<const char*>(data), size), "/nowhere"};
  dsl::Diagnostics diagnostics;
  const dsl::Node file = dsl::parse_json(source, diagnostics);
  if (file.broken) return 0;
  const dsl::Node model = planner::convert_hf(file, diagnostics);
  if (model.broken && !diagnostics.has_errors()) std::abort();  // refused, and nobody told
  if (!model.broken) {
    static const dsl::Schema schema = dsl::schema_of<planner::Model>();
    const dsl::Record record = dsl::evaluate(model, schema, {}, diagnostics);
    if (!diagnostics.has_errors()) dsl::bind<planner::Model>(record);
  }
  for (const dsl::Diagnostic& d : diagnostics.list)
    if (!d.span.source || d.span.line < 1 || d.span.column < 1) std::abort();
  return 0;
}
