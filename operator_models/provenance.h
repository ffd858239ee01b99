// Where figures come from.
#pragma once

#include "dsl/fields.h"

namespace operator_models {

/// measured: this very row; interpolated: a fit inside the measured grid; extrapolated: outside it;
/// datasheet: from published figures of the part; assumed: carried over from another part or a default.
enum class Provenance { measured, interpolated, extrapolated, datasheet, assumed };
inline constexpr auto& kProvenanceNames = dsl::kEnumWords<Provenance>;
inline const char* name(Provenance p) { return kProvenanceNames[static_cast<size_t>(p)]; }

template <class V> void provenance_field(V& v, Provenance& p) {
  v("provenance", p, {.otherwise = "interpolated", .doc = "where the figures come from"});
}

/// The two fields with the provenance and the error of a row's figures.
template <class V, class Row> void source_fields(V& v, Row& row) {
  v("relative_error", row.relative_error,
    {.otherwise = "0", .least = 0, .most = 10, .doc = "one standard error; 0: that of its provenance"});
  provenance_field(v, row.provenance);
}

}  // namespace operator_models
