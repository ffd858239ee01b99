// Reads back members of a JSON object that this program printed. The first member that is missing or of another kind is
// diagnosed at its place. After a mistake, values are 0 or empty, without further messages.
#pragma once

#include <optional>
#include <string>

#include "dsl/node.h"

namespace cli {

class JsonObject {
 public:
  JsonObject(const dsl::Node& node, dsl::Diagnostics& diagnostics) : node_(node), diagnostics_(diagnostics) {}

  /// Null only after a mistake.
  const dsl::Node* member(const char* key) const;
  /// The place of a member; that of the object if the member is missing, so that a mistake in either has a place.
  dsl::Span place(const char* key) const;
  bool has(const char* key) const { return node_.find(key) != nullptr; }
  JsonObject object(const char* key) const;
  const std::vector<dsl::Node>& list(const char* key) const;
  const std::vector<dsl::Entry>& entries() const { return node_.entries; }

  double number(const char* key) const;
  std::optional<double> number_or_null(const char* key) const;
  int64_t whole(const char* key, int64_t least) const;
  bool flag(const char* key) const;
  std::string text(const char* key) const;

  dsl::Span span() const { return node_.span; }
  bool good() const { return !diagnostics_.has_errors(); }
  /// Diagnoses, if nothing was before.
  void wrong(dsl::Span place, const std::string& message, const std::string& hint = "") const;

 private:
  const dsl::Node& node_;
  dsl::Diagnostics& diagnostics_;
};

/// The number that a scalar is; nullopt for a text.
std::optional<double> json_number(const dsl::Node& node);
std::optional<int64_t> json_whole(const dsl::Node& node);

}  // namespace cli
