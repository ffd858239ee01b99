// Execution traces of Chakra, as they are written and as they are broken.
#include "planner/trace/chakra.h"

#include <doctest/doctest.h>

#include <random>

#include "planner/trace/wire.h"
#include "tests/planner/trace/kineto_text.h"
#include "tests/planner/unpack/deflated.h"

using namespace planner::trace;

namespace {

std::string varint(uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(0x80 | (value & 0x7F));
  return out + static_cast<char>(value);
}
std::string field(uint32_t number, uint64_t value) { return varint(number << 3) + varint(value); }
std::string field(uint32_t number, const std::string& text) {
  return varint(number << 3 | 2) + varint(text.size()) + text;
}
std::string framed(const std::string& message) { return varint(message.size()) + message; }
/// An attribute whose value stands under `kind`.
std::string attribute(const std::string& name, uint32_t kind, uint64_t value) {
  return field(10, field(1, name) + field(kind, value));
}

const std::string kMetadata = framed(field(1, "0.0.4"));

/// A node of this type; id 0 is left out, as protobuf does.
std::string node(uint64_t id, const std::string& name, NodeType type, const std::string& more = "") {
  return framed((id > 0 ? field(1, id) : "") + field(2, name) + field(3, static_cast<uint64_t>(type)) + more);
}

/// "" or the message.
std::string read(const std::string& text, Execution& execution, size_t piece = 1 << 16) {
  planner::unpack::ByteReader bytes(sample::pieces(text, piece));
  const std::optional<Mistake> mistake = read_chakra(bytes, execution);
  return mistake ? std::to_string(mistake->event) + " at " + std::to_string(mistake->byte) + ": " + mistake->message
                 : "";
}
std::string wrong(const std::string& text) {
  Execution execution;
  return read(text, execution);
}

}  // namespace

TEST_CASE("nodes, what comes before them and what they communicate are read") {
  const std::string packed = field(5, varint(3) + varint(300) + varint(1));
  const std::string text =
      kMetadata +
      node(0, "all-reduce", NodeType::collective,
           attribute("is_cpu_op", 27, 0) + attribute("comm_type", 9, 0) + attribute("comm_size", 9, 1 << 20)) +
      node(7, "gemm", NodeType::compute,
           packed + field(4, 9) + field(4, 11) + field(6, 100) + field(7, 25) + field(99, "unknown")) +
      node(300, "send", NodeType::send,
           attribute("comm_dst", 7, 3) + attribute("comm_tag", 15, 5) + attribute("comm_type", 9, 5) +
               attribute("comm_size", 9, 64));
  for (const size_t piece : {1, 3, 1000}) {
    Execution execution;
    CHECK(read(text, execution, piece).empty());
    CHECK(execution.schema == "0.0.4");
    REQUIRE(execution.nodes.size() == 3);
    const ExecutionNode &collective = execution.nodes[0], &gemm = execution.nodes[1], &send = execution.nodes[2];
    CHECK(collective.id == 0);
    CHECK(execution.names[collective.name] == "all-reduce");
    CHECK(collective.type == NodeType::collective);
    CHECK_FALSE(collective.on_host);
    CHECK(collective.bytes == 1 << 20);
    CHECK(std::string(collective_name(collective.collective)) == "all-reduce");
    CHECK(gemm.data == std::vector<uint64_t>{3, 300, 1});
    CHECK(gemm.control == std::vector<uint64_t>{9, 11});
    CHECK(gemm.start_ns == 100'000);
    CHECK(gemm.duration_ns == 25'000);
    CHECK(gemm.on_host);
    CHECK(send.peer == 3);
    CHECK(send.tag == -3);  // zigzag
    CHECK(send.collective == -1);
    CHECK(send.duration_ns == -1);
  }
}

TEST_CASE("what converters keep of PyTorch's nodes is read: tensors, threads, the schema, the process") {
  const auto io = [](const std::string& values, const std::string& shapes) {
    return field(1, values) + field(2, shapes) + field(3, "['Tensor(float)']");
  };
  const auto metadata = [](const std::string& name, const std::string& value) {
    return field(2, field(1, name) + value);
  };
  const std::string text =
      framed(metadata("schema", field(29, "1.0.1")) + metadata("pid", field(9, 77))) +
      node(9, "aten::mm", NodeType::compute,
           field(8, io("[[4, 5, 0, 64, 4, 'cuda:0'], [[6, 7, 0, 2, 8, 'cpu']], 'x', 3]", "[[64], [[2]], [], []]")) +
               field(9, io("[[8, 8, 0, 64, 4, 'cuda:0']]", "[[64]]")) + attribute("tid", 9, 2) +
               attribute("seq_id", 9, static_cast<uint64_t>(-1)) + attribute("rf_id", 9, 12) +
               attribute("fw_tid", 9, 1) + attribute("scope", 9, 1));
  Execution execution;
  CHECK(read(text, execution).empty());
  CHECK(execution.schema == "1.0.1");
  CHECK(execution.process == 77);
  const ExecutionNode& mm = execution.nodes.at(0);
  const uint32_t gpu = execution.names.number("cuda:0"), cpu = execution.names.number("cpu");
  CHECK(mm.inputs == std::vector<Tensor>{{4, 5, 64, 4, gpu}, {6, 7, 2, 8, cpu}});
  CHECK(mm.outputs == std::vector<Tensor>{{8, 8, 64, 4, gpu}});
  CHECK(execution.names[mm.shapes] == "[[64], [[2]], [], []]");
  CHECK(mm.thread == 2);
  CHECK(mm.sequence == -1);
  CHECK(mm.record == 12);
  CHECK(mm.forward_thread == 1);
  CHECK(mm.scope == 1);
  CHECK(mm.number == 1);
  CHECK(wrong(kMetadata + framed(field(8, "\x0F"))) == "1 at 9: node 0 has broken tensors");
  CHECK(wrong(framed(field(2, "\x0F"))) == "0 at 1: the metadata have a broken attribute");
}

TEST_CASE("an attribute that is no number of ours says nothing") {
  const auto bytes_of = [](const std::string& value) {
    Execution execution;
    CHECK(read(kMetadata + node(1, "a", NodeType::send, field(10, field(1, "comm_size") + value)), execution).empty());
    return execution.nodes.at(0).bytes;
  };
  CHECK(bytes_of("\x2D" + std::string("\0\0\x80\x3F", 4)) == 1);  // a float
  CHECK(bytes_of("\x2D\xFF\xFF\xFF\xFF") == -1);                  // not a number
  CHECK(bytes_of("\x19" + std::string(8, '\xFF')) == -1);
  CHECK(bytes_of("\x19" + std::string("\0\0\0\0\0\0\xF0\x7F", 8)) == -1);  // infinity
}

TEST_CASE("nodes of one id, and data that comes from nowhere, are errors; what was called from there is not") {
  const auto messages = [](const std::string& text, bool skip_broken) {
    dsl::Diagnostics diagnostics;
    const Read read = read_any({"a.et", sample::pieces(text)}, skip_broken, diagnostics);
    std::string all = read.execution ? std::to_string(read.execution->nodes.size()) + " nodes\n" : "";
    for (const dsl::Diagnostic& each : diagnostics.list) all += each.message + "\n";
    return all;
  };
  const std::string first = kMetadata + node(1, "a", NodeType::compute);
  const std::string twice = first + node(1, "b", NodeType::compute);
  CHECK(messages(twice, false) ==
        "cannot read 'a.et': message 3 (byte 17): node 1 is there already, as number 2 of the file\n");
  CHECK(messages(twice, true).starts_with("1 nodes\n"));
  const std::string nowhere = first + node(2, "b", NodeType::compute, field(5, 9));
  CHECK(messages(nowhere, false) ==
        "cannot read 'a.et': message 3 (byte 17): node 2 depends on node 9, which the file does not have\n");
  CHECK(messages(first + node(2, "b", NodeType::compute, field(4, 9)), false) == "2 nodes\n");
}

TEST_CASE("any shorter file is an error, and broken messages are told with their bytes") {
  const std::string text = kMetadata + node(1, "a", NodeType::compute);
  for (size_t length = 0; length < text.size(); ++length) CHECK_FALSE(wrong(text.substr(0, length)).empty());
  CHECK(wrong("") == "-1 at -1: it has no nodes");
  CHECK(wrong(kMetadata) == "-1 at -1: it has no nodes");
  CHECK(wrong(text.substr(0, text.size() - 1)) == "1 at 9: it ends in the middle of a message");
  CHECK(wrong(kMetadata + framed(field(3, 99))) == "1 at 9: node 0 has the unknown type 99");
  CHECK(wrong(kMetadata + framed("\x0F")) == "1 at 9: the message of node 0 is broken at its byte 0");
  CHECK(wrong(kMetadata + framed(field(10, "\x0F"))) == "1 at 9: node 0 has a broken attribute");
  CHECK(wrong(kMetadata + framed(field(5, "\x80"))) == "1 at 9: node 0 has a broken list of what comes before it");
  CHECK(wrong(kMetadata + framed("")) == "1 at 9: the message is empty");
  CHECK(wrong(std::string(1 << 20, '\0')) == "1 at 2: the message is empty");  // whatever its length
  CHECK(wrong(std::string(6, '\xFF')) == "0 at 6: the length of a message is no number");
}

TEST_CASE("files are told by their first bytes") {
  const std::string chakra = kMetadata + node(1, "a", NodeType::compute);
  const std::string kineto = sample::KinetoText().kernel("k", 7, 10, 5).text();
  for (const std::string& text : {chakra, gzipped(chakra)}) {
    dsl::Diagnostics diagnostics;
    const Read read = read_any({"a.et", sample::pieces(text)}, false, diagnostics);
    CHECK(read.execution.has_value());
    CHECK(read.ranks.empty());
  }
  for (const std::string& text : {kineto, gzipped(kineto), "\n\n " + kineto}) {
    dsl::Diagnostics diagnostics;
    CHECK(read_any({"a.json", sample::pieces(text, 7)}, false, diagnostics).ranks.size() == 1);
  }
  dsl::Diagnostics diagnostics;
  const Read read = read_any({"a.et", sample::pieces(chakra.substr(0, 12))}, false, diagnostics);
  CHECK_FALSE(read.execution.has_value());
  REQUIRE(diagnostics.list.size() == 1);
  CHECK(diagnostics.list[0].message == "cannot read 'a.et': message 2 (byte 9): it ends in the middle of a message");
}

TEST_CASE("fields of a message of protobuf") {
  const std::string text = field(1, 300) + field(2, "text") + std::string("\x1D\x01\x00\x00\x80", 5) +
                           std::string("\x21\x02\x00\x00\x00\x00\x00\x00\x00", 9);
  WireMessage message(text);
  CHECK(message.next()->value == 300);
  CHECK(message.next()->text == "text");
  CHECK(message.next()->value == 0x80000001);
  CHECK(message.next()->value == 2);
  CHECK_FALSE(message.next().has_value());
  CHECK_FALSE(message.is_broken());
  std::string_view longest("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01");
  CHECK(take_varint(longest) == UINT64_MAX);
  std::string_view too_long("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x02");
  CHECK_FALSE(take_varint(too_long).has_value());
}

TEST_CASE("a thousand files with bytes that changed are read, or refused with a word") {
  std::string whole = kMetadata;
  for (uint64_t i = 0; i < 12; ++i)
    whole += node(i, "node" + std::to_string(i), NodeType::compute,
                  field(5, varint(i) + varint(i + 1)) + attribute("comm_size", 9, i));
  std::mt19937 random(3);
  int good = 0;
  for (int i = 0; i < 1000; ++i) {
    std::string mutated = whole;
    for (int change = 0; change <= i % 3; ++change) {
      const size_t at = random() % mutated.size();
      if (random() % 2) mutated[at] = static_cast<char>(random());
      else mutated.erase(at, 1 + random() % 5);
    }
    Execution execution;
    const bool refused = !read(mutated, execution, 1 + random() % 50).empty();
    good += !refused;
    if (!refused) CHECK_FALSE(execution.nodes.empty());
  }
  CHECK(good > 50);
}
