#include "tests/planner/trace/nsight_text.h"

#include <sqlite3.h>

#include <stdexcept>

#include "tests/planner/trace/kineto_text.h"
#include "tests/planner/trace/read_rank.h"

namespace sample {

const char* const kNsightTables = R"(
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
INSERT INTO StringIds VALUES (1, 'gemm'), (2, 'ncclDevKernel_AllReduce_Sum'), (3, 'cudaLaunchKernel_v7000'),
  (4, 'cudaMemcpyAsync_ptsz_v3020'), (5, 'MPI_Allreduce'), (6, 'range');
CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT);
INSERT INTO TARGET_INFO_GPU VALUES (0, 'GPU of another rank'), (2, 'NVIDIA H100');
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER,
  correlationId INTEGER, globalPid INTEGER, demangledName INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER,
  correlationId INTEGER, globalPid INTEGER, bytes INTEGER, copyKind INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER,
  correlationId INTEGER, globalPid INTEGER, bytes INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER,
  nameId INTEGER);
CREATE TABLE MPI_COLLECTIVES_EVENTS (start INTEGER, end INTEGER, globalTid INTEGER, textId INTEGER, size INTEGER);
CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER, textId INTEGER);
)";

std::string database(const std::string& sql) {
  sqlite3* handle = nullptr;
  if (sqlite3_open(":memory:", &handle) != SQLITE_OK) throw std::runtime_error("no database");
  const std::string all = "PRAGMA page_size = 512; BEGIN; " + sql + "; COMMIT";
  const int status = sqlite3_exec(handle, all.c_str(), nullptr, nullptr, nullptr);
  if (status != SQLITE_OK) throw std::runtime_error(sqlite3_errmsg(handle));
  sqlite3_int64 size = 0;
  unsigned char* bytes = sqlite3_serialize(handle, "main", &size, 0);
  std::string out(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
  sqlite3_free(bytes);
  sqlite3_close(handle);
  return out;
}

std::optional<planner::trace::RankTrace> nsight_bytes(const std::string& bytes, std::string* messages, bool skip_broken,
                                                      size_t piece) {
  dsl::Diagnostics diagnostics;
  auto read = planner::trace::read_rank({"a.sqlite", pieces(bytes, piece)}, skip_broken, diagnostics);
  if (messages) messages->clear();
  for (const dsl::Diagnostic& d : diagnostics.list)
    if (messages) *messages += d.message + "\n";
  return read;
}

std::optional<planner::trace::RankTrace> nsight(const std::string& rows, std::string* messages, bool skip_broken) {
  return nsight_bytes(database(kNsightTables + rows), messages, skip_broken);
}

}  // namespace sample
