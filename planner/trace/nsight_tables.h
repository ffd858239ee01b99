// The event tables of a profile that Nsight Systems exported to SQLite (its SQLite export schema reference), and their
// raw rows.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "planner/trace/database.h"

namespace planner::trace {

/// Where a table has the names of events.
enum class NsightNaming : uint8_t {
  string,     // an id of StringIds
  text,       // NVTX: a text, or an id of StringIds
  copy_kind,  // CUDA_MEMCPY_KIND
  none,
};

struct NsightTable {
  const char* name;
  NsightNaming naming;
  const char *named_by, *bytes;  // columns; bytes null, or not there: it has none
};

inline constexpr NsightTable kNsightKernels{"CUPTI_ACTIVITY_KIND_KERNEL", NsightNaming::string, "demangledName",
                                            nullptr};
inline constexpr NsightTable kNsightCalls{"CUPTI_ACTIVITY_KIND_RUNTIME", NsightNaming::string, "nameId", nullptr};
inline constexpr NsightTable kNsightCopies{"CUPTI_ACTIVITY_KIND_MEMCPY", NsightNaming::copy_kind, "copyKind", "bytes"};
inline constexpr NsightTable kNsightFills{"CUPTI_ACTIVITY_KIND_MEMSET", NsightNaming::none, "0", "bytes"};
inline constexpr NsightTable kNsightCublas{"CUBLAS_EVENTS", NsightNaming::string, "nameId", nullptr};
inline constexpr NsightTable kNsightCudnn{"CUDNN_EVENTS", NsightNaming::string, "nameId", nullptr};
inline constexpr NsightTable kNsightRanges{"NVTX_EVENTS", NsightNaming::text, "textId", nullptr};
inline constexpr NsightTable kNsightOs{"OSRT_API", NsightNaming::string, "nameId", nullptr};
/// Between two processes, of many, waits for them, and other calls.
inline constexpr std::array kNsightMpi{
    NsightTable{"MPI_P2P_EVENTS", NsightNaming::string, "textId", "size"},
    NsightTable{"MPI_COLLECTIVES_EVENTS", NsightNaming::string, "textId", "size"},
    NsightTable{"MPI_START_WAIT_EVENTS", NsightNaming::string, "textId", nullptr},
    NsightTable{"MPI_OTHER_EVENTS", NsightNaming::string, "textId", nullptr},
};

/// NVTX ranges among the rows of NVTX_EVENTS: pushed, started, and those of domains.
inline constexpr const char* kNsightIsRange = "eventType IN (59, 60, 70, 71)";

/// The limit on all names of a profile's events together.
inline constexpr size_t kMostNameBytes = size_t{128} << 20;
/// Returns false (diagnosed) for names of more `bytes`.
bool may_hold(size_t bytes, Database& database);

/// The texts of StringIds, read once: the table of a profile that was not made by Nsight Systems may have no index.
class Strings {
 public:
  explicit Strings(Database& database);
  /// Returns the text of an id, or nullptr.
  const std::string* find(int64_t id) const;

 private:
  std::unordered_map<int64_t, std::string> by_id_;
};

/// Returns the meaning of the number in `named_by`; "" if events of the table have no names.
std::string nsight_name(const NsightTable& table, int64_t number, const Strings& strings);

/// The events of a table, one after the other. A table without the columns that it must have is diagnosed.
class NsightRows {
 public:
  /// `more`: additional columns; those that the table lacks are null. `where`: "" or a condition.
  NsightRows(Database& database, const NsightTable& table, std::span<const char* const> more, const std::string& where);

  bool next() { return rows_.next(); }
  int64_t start() const { return rows_.integer(0); }
  int64_t end() const { return rows_.integer(1); }
  bool has_ended() const { return !rows_.is_null(1); }  // before the profile did
  int64_t number() const { return rows_.integer(2); }   // of its name
  int64_t bytes() const { return rows_.integer(3); }
  bool has_bytes() const { return has_bytes_; }
  /// A text of NVTX that is its name instead; null elsewhere.
  bool has_text() const { return text_ >= 0 && !rows_.is_null(text_); }
  std::string_view text() const { return rows_.text(text_); }
  /// Of the additional columns, by their order.
  int64_t more(int column) const { return rows_.integer(more_ + column); }
  bool has_more(int column) const { return !rows_.is_null(more_ + column); }

 private:
  std::string query(Database& database, const NsightTable& table, std::span<const char* const> more,
                    const std::string& where);

  bool has_bytes_ = false;
  int text_ = -1, more_ = 4;
  Rows rows_;
};

}  // namespace planner::trace
