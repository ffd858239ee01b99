#include "cli/files/trace_events.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "cli/render/json_text.h"

namespace cli {
namespace {

constexpr size_t kPiece = size_t{1} << 18;  // bytes that the sink gets at once

}  // namespace

TraceEvents::TraceEvents(Sink sink)
    : sink_(std::move(sink)), text_("{\"displayTimeUnit\": \"ms\", \"traceEvents\": [") {}

void TraceEvents::begin_row() {
  text_ += first_ ? "\n" : ",\n";
  text_ += "{\"name\": ";
  first_ = false;
}

void TraceEvents::end_row() {
  if (text_.size() < kPiece) return;
  sink_(text_);
  text_.clear();
}

void TraceEvents::add(const Row& row) {
  begin_row();
  write_text(row.name, text_);
  text_ += ", \"cat\": ";
  write_text(row.category, text_);
  fmt::format_to(std::back_inserter(text_),
                 ", \"ph\": \"X\", \"ts\": {:.3f}, \"dur\": {:.3f}, \"pid\": {}, \"tid\": {}, \"args\": {{{}}}}}",
                 row.start_us, row.duration_us, row.process, row.thread, row.arguments);
  end_row();
}

void TraceEvents::name_process(int64_t process, std::string_view name) {
  begin_row();
  fmt::format_to(std::back_inserter(text_),
                 "\"process_name\", \"ph\": \"M\", \"pid\": {}, \"args\": {{\"name\": ", process);
  write_text(name, text_);
  text_ += "}}";
  end_row();
}

void TraceEvents::name_thread(int64_t process, int64_t thread, std::string_view name) {
  begin_row();
  fmt::format_to(std::back_inserter(text_),
                 "\"thread_name\", \"ph\": \"M\", \"pid\": {}, \"tid\": {}, \"args\": {{\"name\": ", process, thread);
  write_text(name, text_);
  text_ += "}}";
  end_row();
}

void TraceEvents::end() {
  text_ += "\n]}\n";
  sink_(text_);
  text_.clear();
}

}  // namespace cli
