// libFuzzer: any text as a Hugging Face configuration. It must end in the fields of a model or in messages with places.

#include "planner/import/hf.h"
#include "planner/scenario/scenario.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const dsl::Source source{"config.json", fuzz::text_of(data, size), "/nowhere"};
  dsl::Diagnostics diagnostics;
  const dsl::Node file = dsl::parse_json(source, diagnostics);
  if (file.broken) return 0;
  const dsl::Node model = planner::convert_hf(file, diagnostics);
  if (model.broken && !diagnostics.has_errors()) std::abort();  // refused without a message
  if (!model.broken) {
    static const dsl::Schema schema = dsl::schema_of<planner::Model>();
    const dsl::Record record = dsl::evaluate(model, schema, {}, diagnostics);
    if (!diagnostics.has_errors()) dsl::bind<planner::Model>(record);
  }
  fuzz::require_places(diagnostics);
  return 0;
}
