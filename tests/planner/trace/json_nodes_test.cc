// Nodes of execution traces in JSON, as they are written and as they are broken.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "planner/trace/execution.h"
#include "tests/planner/trace/execution_text.h"
#include "tests/planner/unpack/deflated.h"

using namespace planner::trace;
using sample::NodesText;

namespace {

std::string wrong(const std::string& text) {
  std::string messages;
  CHECK_FALSE(sample::execution(text, &messages).has_value());
  return messages;
}

/// One node of Chakra's graph.
std::string graph(const std::string& nodes) { return R"({"workload_graph": [)" + nodes + R"(], "ngpus": 8})"; }

}  // namespace

TEST_CASE("both schemas of PyTorch say the same") {
  for (const auto schema : {NodesText::Schema::members, NodesText::Schema::attributes})
    for (const size_t piece : {1, 7, 100'000}) {
      std::string messages;
      auto read = sample::execution(sample::training(schema).text(), &messages, false, piece);
      REQUIRE(read.has_value());
      CHECK(messages.empty());
      CHECK(read->schema == (schema == NodesText::Schema::members ? "1.0.1" : "1.1.0-chakra.0.0.4"));
      CHECK(read->process == 100);
      REQUIRE(read->nodes.size() == 8);
      const ExecutionNode &mm = read->nodes[3], &linear = read->nodes[4], &backward = read->nodes[6];
      CHECK(read->name(mm) == "aten::mm");
      CHECK(mm.id == 10);
      CHECK(mm.record == 20);
      CHECK(mm.control == std::vector<uint64_t>{9});
      CHECK(mm.type == NodeType::compute);
      CHECK(mm.thread == 1);
      CHECK(mm.sequence == 40);
      CHECK(mm.number == 3);
      CHECK(read->names[mm.shapes] == "[[3, 4], [4, 2]]");
      const uint32_t device = read->names.number("cuda:0");
      CHECK(mm.inputs == std::vector<Tensor>{{5, 6, 12, 4, device}, {7, 8, 8, 4, device}});
      CHECK(mm.outputs == std::vector<Tensor>{{11, 12, 6, 4, device}});
      CHECK(linear.inputs == mm.inputs);  // of a list of tensors, too
      CHECK(backward.scope == 1);
      CHECK(backward.forward_thread == 1);
      CHECK(read->nodes[0].type == NodeType::metadata);
      CHECK(read->nodes[7].control.empty());  // the process is its own parent
    }
}

TEST_CASE("a record of communication says which collective it is, and its bytes") {
  const struct {
    const char *inputs, *attributes;
    NodeType type;
    const char* collective;
    int64_t bytes;
  } rows[] = {
      {R"([[[9, 8, 0, 100, 4, "cuda:0"]], 7, 5, 0, "allreduce", [], []])", "", NodeType::collective, "all-reduce", 400},
      {R"([[9, 8, 0, 10, 8, "cuda:0"], 7, ["0", "default"], 0, "_allgather_base", []])", "", NodeType::collective,
       "all-gather", 80},
      {R"([[9, 8, 0, 10, 8, "cuda:0"], 7, 5, 0, "all_to_allv", [5, 5], [5, 5]])", "", NodeType::collective,
       "all-to-all", 80},
      {R"([[9, 8, 0, 10, 8, "cuda:0"], 7, 5, 0, "send"])", "", NodeType::send, "", 80},
      {R"([[9, 8, 0, 10, 8, "cuda:0"], 7, 5, 0, "recv"])", "", NodeType::receive, "", 80},
      {R"([141, 0, 0, "wait", [], []])", "", NodeType::compute, "", -1},
      {"[]", R"(, "collective_name": "reduce_scatter", "dtype": "BFloat16", "in_msg_nelems": 50)", NodeType::collective,
       "reduce-scatter", 100},
      {"[]", R"(, "collective_name": "broadcast", "dtype": "Strange", "in_msg_nelems": 50)", NodeType::collective,
       "broadcast", -1},
      {"[]", R"(, "collective_name": "reduce", "dtype": "Float", "in_msg_nelems": 9223372036854775807)",
       NodeType::collective, "reduce", 9'000'000'000'000'000'000},
  };
  for (const auto& row : rows) {
    NodesText text;
    text.raw(std::string(R"({"id": 1, "name": "record_param_comms", "inputs": )") + row.inputs + row.attributes + "}");
    const auto read = sample::execution(text.text());
    INFO(row.inputs, row.attributes);
    REQUIRE(read.has_value());
    const ExecutionNode& node = read->nodes[0];
    CHECK(node.type == row.type);
    CHECK(std::string(collective_name(node.collective)) == row.collective);
    CHECK(node.bytes == row.bytes);
  }
  CHECK(collective_number("allreduce_coalesced") == 0);
  CHECK(collective_number("gather") == 3);
  CHECK(collective_number("scatter") == 4);
  CHECK(collective_number("barrier") == 9);
  CHECK(collective_number("init") == -1);
}

TEST_CASE("nodes of Chakra's graph are read as those of its messages") {
  const auto read = sample::execution(graph(
      R"({"Id": 7, "Name": "gemm \u00b5", "NodeType": 4, "ctrlDeps": [99], "data_deps": [8], "runtime": 2.5, "is_cpu_op": false},)"
      R"({"Id": "8", "Name": "all", "NodeType": 7, "data_deps": [], "comm_type": 0, "comm_size": 64, "is_cpu_op": true},)"
      R"({"Id": 9, "Name": "to", "NodeType": 5, "data_deps": null, "comm_type": 5, "comm_dst": 3, "comm_tag": 1})"));
  REQUIRE(read.has_value());
  REQUIRE(read->nodes.size() == 3);
  const ExecutionNode &gemm = read->nodes[0], &all = read->nodes[1], &to = read->nodes[2];
  CHECK(read->name(gemm) == "gemm \u00b5");
  CHECK(gemm.control == std::vector<uint64_t>{99});  // converters leave nodes out
  CHECK(gemm.data == std::vector<uint64_t>{8});
  CHECK(gemm.duration_ns == 2500);
  CHECK_FALSE(gemm.on_host);
  CHECK(all.on_host);
  CHECK(all.duration_ns == -1);
  CHECK(all.bytes == 64);
  CHECK(all.collective == 0);
  CHECK(to.peer == 3);
  CHECK(to.collective == -1);
}

TEST_CASE("a node that is broken is an error with its number and byte, or is left out and told") {
  const struct {
    const char *node, *message;
  } rows[] = {
      {R"({"name": "a"})", "the node has no id"},
      {R"({"id": 5})", "the node has no name"},
      {R"({"id": -5, "name": "a"})", "the node's id is -5"},
      {R"({"id": 1.5, "name": "a"})", "the node's id is 1.5"},
      {R"({"id": 5, "name": 7})", "the node has no name"},
      {R"({"id": 5, "name": "a", "parent": "x"})", "'parent': what the node depends on is no node: \"x\""},
      {R"({"id": 5, "name": "a", "ctrl_deps": [1, ,2]})", "'ctrl_deps': what the node depends on is no node: "},
      {R"({"id": 5, "name": "a", "data_deps": [[1]]})", "'data_deps': what the node depends on is no node: [1]"},
      {R"({"id": 5, "name": "a", "tid": true})", "'tid': a whole number was expected, not true"},
      {R"({"id": 5, "name": "a", "runtime": -4})", "'runtime': the node's duration is negative: -4 us"},
      {R"({"id": 5, "name": "a", "runtime": 1e300})", "'runtime': the node's duration is no time: 1e300"},
      {R"({"id": 5, "name": "a", "NodeType": 8})", "'NodeType': the node has the unknown type 8"},
      {R"({"id": 5, "name": "a", "attrs": [{"name": "seq_id", "value": "x"}]})",
       "'seq_id': a whole number was expected, not \"x\""},
      {R"({"id": 1, "name": "a"})", "node 1 is there already, as number 1 of the file"},
      {R"({"id": 5, "name": "a", "parent": 77})", "node 5 depends on node 77, which the file does not have"},
      {R"({"id": 5, "name": "a", "data_deps": [77]})", "node 5 depends on node 77, which the file does not have"},
  };
  for (const auto& row : rows) {
    const std::string first = R"({"id": 1, "name": "root"})", last = R"({"id": 6, "name": "b", "parent": 1})";
    const std::string text = NodesText().raw(first).raw(row.node).raw(last).text();
    const std::string place = "node 2 (byte " + std::to_string(text.find(row.node, text.find(first) + 1)) + "): ";
    INFO(row.node);
    CHECK(wrong(text) == "cannot read 'a.json': " + place + row.message + "\n");
    std::string messages;
    const auto read = sample::execution(text, &messages, true);
    REQUIRE(read.has_value());
    CHECK(messages == "cannot read 'a.json': " + place + row.message + "\n");
    CHECK(read->left_out == 1);
    CHECK(read->nodes.back().id == 6);
    CHECK(read->nodes.size() == (std::string(row.message).starts_with("node 5") ? 3 : 2));
  }
}

TEST_CASE("beyond twenty mistakes their number is told") {
  NodesText text;
  text.node({.id = 1, .parent = 1, .name = "root"});
  for (int i = 0; i < 30; ++i) text.raw(R"({"name": "a"})");
  std::string messages;
  const auto read = sample::execution(text.text(), &messages, true);
  REQUIRE(read.has_value());
  CHECK(read->left_out == 30);
  CHECK(std::ranges::count(messages, '\n') == 21);
  CHECK(messages.ends_with("'a.json' has 10 more of such mistakes\n"));
}

TEST_CASE("a schema that is not known, or none, is refused") {
  const auto with = [](const std::string& schema) {
    return "{" + schema + R"("nodes": [{"id": 1, "name": "a", "parent": 1}]})";
  };
  CHECK(wrong(with("")) == "cannot read 'a.json': it does not say its schema\n");
  CHECK(wrong(with(R"("schema": "2.0.0", )")) == "cannot read 'a.json': its schema is 2.0.0, known are 1.0 and 1.1\n");
  CHECK(sample::execution(with(R"("schema": "1.0.3-chakra.0.0.4", )")).has_value());
  CHECK(wrong(NodesText().text()) == "cannot use 'a.json': it has no nodes\n");
  CHECK(wrong(graph("")) == "cannot use 'a.json': it has no nodes\n");
}

TEST_CASE("any shorter trace is an error, packed or not") {
  const std::string whole = sample::training(NodesText::Schema::attributes).text(), packed = gzipped(whole);
  for (size_t length = 1; length < whole.size(); length += 3) CHECK_FALSE(wrong(whole.substr(0, length)).empty());
  for (size_t length = 1; length < packed.size(); length += 7) CHECK_FALSE(wrong(packed.substr(0, length)).empty());
  CHECK(wrong(whole.substr(0, whole.size() - 1)) == "cannot read 'a.json': node 9 (byte " +
                                                        std::to_string(whole.size() - 1) +
                                                        "): the text ends here, in the middle of a value\n");
  CHECK(sample::execution(packed).has_value());
}

TEST_CASE("tensors are found however deep they stand, and nothing else is taken for one") {
  NameTable names;
  const auto found = [&](const char* list, char quote = '"') {
    std::vector<Tensor> tensors;
    append_tensors(list, quote, names, tensors);
    return tensors.size();
  };
  CHECK(found(R"([[1,2,0,3,4,"cpu"],[[1,2,0,3,4,"cpu"],[ 5 , 6 , 0 , 1 , 8 , "cuda:1" ]]])") == 3);
  CHECK(found("[[1, 2, 0, 3, 4, 'cpu'], 7]", '\'') == 1);
  CHECK(found(R"([[1,2,3,4,5,6,7],[1,2],"[1,2,0,3,4,\"cpu\"]",[1,2,0,3,4,"cpu",5],[-1,2,0,3,4,"cpu"]])") == 0);
  CHECK(found("[1,2,0,3,4,\"cpu") == 0);
  CHECK(found("[[[[") == 0);
}

TEST_CASE("a thousand traces with bytes that changed are read, or refused with a word") {
  std::mt19937 random(5);
  int good = 0;
  const std::string wholes[] = {sample::training().text(), sample::training(NodesText::Schema::attributes).text(),
                                graph(R"({"Id": 1, "Name": "a", "NodeType": 4, "data_deps": [2], "runtime": 5},)"
                                      R"({"Id": 2, "Name": "b", "NodeType": 7, "data_deps": [], "comm_size": 5})")};
  for (int i = 0; i < 1000; ++i) {
    std::string mutated = wholes[i % 3];
    for (int change = 0; change <= i % 4; ++change) {
      const size_t at = random() % mutated.size();
      if (random() % 2) mutated[at] = "\"{}[],:0-9\\eE. "[random() % 15];
      else mutated.erase(at, 1 + random() % 5);
    }
    std::string messages;
    const auto read = sample::execution(mutated, &messages, i % 2 == 0, 1 + random() % 90);
    CHECK((read.has_value() || !messages.empty()));
    good += read.has_value();
    if (read) CHECK_FALSE(read->nodes.empty());
  }
  CHECK(good > 200);
}
