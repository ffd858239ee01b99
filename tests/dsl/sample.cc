#include "tests/dsl/sample.h"

namespace sample {

std::span<const char* const> words(Precision) { return kPrecisions; }

std::span<const char* const> words(Order) { return kOrders; }

const dsl::Schema& schema() {
  static const dsl::Schema rows = dsl::schema_of<Scenario>();
  return rows;
}

dsl::Node convert_model(const dsl::Node& file, dsl::Diagnostics& diagnostics) {
  dsl::Node out = file;
  for (dsl::Entry& e : out.entries)
    if (e.key == "depth") e.key = "layers";
  if (out.find("layers")) return out;
  diagnostics.error(file.span, "no depth");
  return dsl::broken_node();
}

const std::vector<dsl::Pull>& pulls() {
  static const std::vector<dsl::Pull> rows{
      {"model", "model", {{"hf:", "config.json", convert_model, "nothing is downloaded: name a folder"}}},
      {"cluster", "cluster"},
      {"cluster.gpu", "accelerator"}};
  return rows;
}

dsl::EvaluateOptions options() {
  dsl::EvaluateOptions o;
  o.results = {{"step", dsl::kTime}, {"usd", dsl::kMoney}, {"mfu", dsl::kNone}, {"memory.peak", dsl::kData}};
  o.vocabulary = kVocabulary;
  return o;
}

std::string complete(const std::string& more) {
  return "model: {use: gpt}\njob: {sequence: 2048, batch: 8}\ncluster: {use: dgx, gpus: 64}\n" + more;
}

std::string write(const dsl::Node& node) {
  auto quote = [](const std::string& text) {
    std::string out = "\"";
    for (char c : text) {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    return out + '"';
  };
  std::string out;
  switch (node.kind) {
    case dsl::Node::Kind::null:
      return "null";
    case dsl::Node::Kind::scalar:
      return node.quoted ? quote(node.text) : node.text;
    case dsl::Node::Kind::list:
      for (const dsl::Node& item : node.items) out += (out.empty() ? "" : ", ") + write(item);
      return "[" + out + "]";
    case dsl::Node::Kind::map:
      for (const dsl::Entry& e : node.entries) out += (out.empty() ? "" : ", ") + quote(e.key) + ": " + write(e.value);
      return "{" + out + "}";
  }
  return out;
}

}  // namespace sample
