// libFuzzer: any text as a result of `search` that `merge` and `--resume` read. JSON is read once more with the digests
// of itself and of the space of shards.yaml, to reach the code behind that check. A finished result is merged, an
// interrupted one is resumed. Both must end with one of their statuses and a document.
#include "cli/files/partial_digest.h"
#include "tests/fuzz/run.h"

namespace {

constexpr const char* kSpace = "tests/fuzz/shards.yaml";
constexpr size_t kHashDigits = 16;

void put_hash(const std::string& member, const std::string& hash, std::string& text) {
  const std::string key = "\"" + member + "\": \"";
  const size_t at = text.find(key);
  if (at != std::string::npos) text.replace(at + key.size(), kHashDigits, hash);
}

/// The digest of the space, from a result of its own.
const std::string& digest_of_space() {
  static const std::string digest = [] {
    const std::string text = fuzz::run({"search", kSpace, "--shard", "1/1", "--format", "json", "--top", "1"}, "");
    const dsl::Source source{"shard.json", text, ""};
    dsl::Diagnostics diagnostics;
    return cli::read_partial(source, diagnostics)->digest;
  }();
  return digest;
}

bool read(const std::string& text, bool& unfinished) {
  const dsl::Source source{"shard.json", text, ""};
  dsl::Diagnostics diagnostics;
  const auto partial = cli::read_partial(source, diagnostics);
  fuzz::require_value_or_error(partial, diagnostics);
  fuzz::require_places(diagnostics, fuzz::Places::where_known);
  unfinished = partial && partial->result.unfinished;
  return partial.has_value();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string text = fuzz::text_of(data, size);
  bool unfinished = false;
  read(text, unfinished);
  put_hash("digest", digest_of_space(), text);
  const dsl::Source source{"shard.json", text, ""};
  dsl::Diagnostics diagnostics;
  const dsl::Node tree = dsl::parse_json(source, diagnostics, cli::kResultLimits);
  if (diagnostics.has_errors()) return 0;
  put_hash(cli::kContent, cli::content_digest(tree), text);
  if (!read(text, unfinished)) return 0;
  if (unfinished) fuzz::run({"search", kSpace, "--resume", "-", "--format", "json", "--top", "1"}, text);
  else fuzz::run({"merge", "-", "--format", "json"}, text);
  return 0;
}
