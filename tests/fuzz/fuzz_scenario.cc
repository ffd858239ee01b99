// libFuzzer: any text as a scenario, against the schema of the tests. Lines "#set PATH=VALUE" are
// also applied as overrides. It must end in a record or in messages with places; a record is bound
// to its struct, and its resolved text gives the same record again.
#include <sstream>

#include "tests/dsl/sample.h"
#include "tests/fuzz/fuzz.h"

namespace {

std::vector<dsl::Override> overrides_in(const std::string& text) {
  std::vector<dsl::Override> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("#set ")) out.push_back({line.substr(5)});
  return out;
}

bool same(const dsl::Record& a, const dsl::Record& b) {
  if (a.slots.size() != b.slots.size() || a.let != b.let) return false;
  for (size_t i = 0; i < a.slots.size(); ++i) {
    const dsl::Slot &x = a.slots[i].second, &y = b.slots[i].second;
    if (a.slots[i].first != b.slots[i].first || !(x.value == y.value) || x.expressions.size() != y.expressions.size())
      return false;
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text = fuzz::text_of(data, size);
  for (bool pick_first : {false, true}) {
    dsl::EvaluateOptions options = sample::options();
    options.pick_first = pick_first;
    sample::Run run(text, overrides_in(text), options);
    run.errors();
    fuzz::require_places(run.diagnostics);
    if (run.diagnostics.has_errors()) continue;
    if (run.tree.broken) std::abort();  // broken without a message
    dsl::bind<sample::Scenario>(run.record);
    sample::Run again(sample::write(dsl::resolved(run.record)), {}, options);
    if (again.diagnostics.has_errors() || !same(run.record, again.record)) std::abort();
  }
  return 0;
}
