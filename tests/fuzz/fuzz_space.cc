// libFuzzer: any text as a scenario with open choices, against the schema of the tests. It must end in a space or in
// messages with places; of its candidates the first thousand are walked, each with a value for every open item or
// refused by one that there is, and a walk in parts says the same.

#include "dsl/space.h"
#include "tests/dsl/sample.h"
#include "tests/fuzz/fuzz.h"

namespace {

constexpr int kMost = 1000;

/// The values of all open items, candidate by candidate.
std::string walked(const dsl::Space& space, size_t depth) {
  std::string out;
  dsl::Cursor cursor(space);
  if (depth > 0) cursor.split(depth, [](int64_t) { return true; });
  for (int count = 0; count < kMost && cursor.next(); ++count) {
    const dsl::Refusal refusal = cursor.refusal();
    const bool valueless = refusal == dsl::Refusal::divisibility || refusal == dsl::Refusal::value;
    if (valueless && cursor.refused_at() >= space.items().size()) std::abort();
    if (refusal == dsl::Refusal::where && cursor.refused_at() >= space.conditions().size()) std::abort();
    const size_t known = valueless ? cursor.refused_at() : space.items().size();
    for (size_t i = 0; i < known && out.size() < 1'000'000; ++i) out += dsl::to_text(cursor.value(i)) + ",";
    out += static_cast<char>('0' + static_cast<int>(refusal));
    if (valueless) continue;
    const std::vector<dsl::Value> results(sample::options().results.size());
    for (const dsl::Expression* condition : space.result_conditions()) cursor.evaluate(*condition, results);
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  dsl::Sources sources;
  const std::string text = fuzz::text_of(data, size);
  const dsl::Source& source = sources.emplace_back(dsl::Source{"a.yaml", text, "/nowhere"});
  const dsl::Catalog catalog{sample::kCatalog, {}};
  dsl::Diagnostics diagnostics;
  dsl::Node tree = dsl::load(source, {}, sample::pulls(), catalog, sources, diagnostics);
  const bool broken = tree.broken;
  const dsl::Space space(std::move(tree), sample::schema(), sample::options(), diagnostics);
  fuzz::require_places(diagnostics);
  if (diagnostics.has_errors()) return 0;
  if (broken) std::abort();  // broken without a message
  if (walked(space, 0) != walked(space, 1)) std::abort();
  return 0;
}
