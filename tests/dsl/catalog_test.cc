// Files: where `use` and `extends` look, and what they refuse.
#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "dsl/read_builtin.h"
#include "tests/dsl/sample.h"

using sample::Run;

namespace {

// A folder of files that is gone afterwards.
struct Folder {
  std::filesystem::path path;
  Folder() : path(std::filesystem::temp_directory_path() / ("trainplan-dsl-" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(path);
    std::filesystem::create_directories(path);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  Folder(const Folder&) = delete;
  std::string add(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path / name).parent_path());
    std::ofstream(path / name) << text;
    return (path / name).string();
  }
};

}  // namespace

TEST_CASE("files are found beside the naming file, in the catalogue's folders, then in the binary") {
  Folder folder;
  folder.add("gpt.yaml", "layers: 1\nheads: 1\n");
  folder.add("parts/own.yaml", "extends: base-model.yaml\nheads: 3\n");
  folder.add("parts/base-model.yaml", "layers: 2\nheads: 2\n");
  folder.add("catalog/models/gpt-wide.yaml", "layers: 5\nheads: 5\n");
  folder.add("catalog/flat.yaml", "layers: 6\nheads: 6\n");
  const std::string here = folder.path.string();
  auto layers = [&](const std::string& use) {
    Run run("model: {use: " + use + "}\njob: {sequence: 1, batch: 1}\ncluster: {use: dgx, gpus: 8}\n", {},
            sample::options(), here + "/a.yaml", here, {here + "/catalog"});
    return run.errors() == "" ? run.at("model.layers") : run.first();
  };
  CHECK(layers("gpt") == "1");       // beside, before the binary
  CHECK(layers("gpt-wide") == "5");  // the catalogue, before the binary
  CHECK(layers("flat") == "6");
  CHECK(layers("parts/own.yaml") == "2");  // relative to its own folder
  CHECK(layers("./gpt.yaml") == "1");
  CHECK(layers("parts") == "1:14: no model named 'parts'");
  CHECK(layers("none.yaml") == "1:14: no file '" + here + "/none.yaml'");
}

TEST_CASE("a scenario may use a model of its own name") {
  Folder folder;
  const std::string text = "model: {use: gpt}\njob: {sequence: 1, batch: 1}\ncluster: {use: dgx, gpus: 8}\n";
  const std::string file = folder.add("gpt.yaml", text), other = folder.add("other.yaml", text);
  for (const std::string& name : {file, other}) {  // beside stands gpt.yaml: a scenario, not the model
    Run run(text, {}, sample::options(), name, folder.path.string());
    CHECK(run.errors() == "");
    CHECK(run.at("model.layers") == "96");
  }
}

TEST_CASE("circles of extends are told with the files on the way") {
  Folder folder;
  const std::string a = folder.add("a.yaml", "extends: b\n");
  folder.add("b.yaml", "extends: c.yaml\n");
  folder.add("c.yaml", "extends: ./a.yaml\n");
  Run run("extends: b\n", {}, sample::options(), a, folder.path.string());
  REQUIRE(run.diagnostics.list.size() == 1);
  const std::string here = folder.path.string() + "/";
  CHECK(run.diagnostics.list[0].message == "'extends' goes round in a circle: " + here + "a.yaml -> " + here +
                                               "b.yaml -> " + here + "c.yaml -> " + here + "a.yaml");
}

TEST_CASE("mistakes in pulled files are told there") {
  Folder folder;
  folder.add("m.yaml", "layers: 0\nhead: 3\n");
  folder.add("broken.yaml", "layers: [1\n");
  folder.add("list.yaml", "- 1\n");
  folder.add("uses.yaml", "use: gpt\nlayers: 1\nheads: 1\n");
  const std::string here = folder.path.string();
  auto errors = [&](const std::string& use) {
    Run run("model: {use: " + use + "}\njob: {sequence: 1, batch: 1}\ncluster: {use: dgx, gpus: 8}\n", {},
            sample::options(), here + "/a.yaml", here);
    std::string out;
    for (const dsl::Diagnostic& d : run.diagnostics.list)
      out += std::filesystem::path(d.span.source->name).filename().string() + ":" + std::to_string(d.span.line) + ": " +
             d.message + "\n";
    return out;
  };
  CHECK(errors("m.yaml") ==
        "m.yaml:1: model.layers must be at least 1, got 0\n"
        "m.yaml:2: unknown field 'model.head'\n");
  CHECK(errors("broken.yaml") == "broken.yaml:1: missing ']'\n");
  CHECK(errors("list.yaml") == "a.yaml:1: '" + here + "/list.yaml' is not a map of fields\n");
  CHECK(errors("uses.yaml") == "uses.yaml:1: a catalogue file takes 'extends' at its top, not 'use'\n");
}

TEST_CASE("the catalogue lists the names of a kind, sorted, from the binary and from folders") {
  Folder folder;
  folder.add("models/tiny.yaml", "layers: 1\n");
  const dsl::Catalog catalog{sample::kCatalog, {folder.path.string()}};
  CHECK(dsl::catalog_names(catalog, "model") == std::vector<std::string>{"gpt", "gpt-wide", "tiny"});
  CHECK(dsl::catalog_names(catalog, "cluster") == std::vector<std::string>{"dgx"});
  CHECK(dsl::catalog_names(catalog, "nothing").empty());
}

TEST_CASE("a huge file and a file that is none are refused") {
  Folder folder;
  folder.add("big.yaml", std::string(3 << 20, '#'));
  const std::string here = folder.path.string();
  Run big("model: {use: big.yaml}\n", {}, sample::options(), here + "/a.yaml", here);
  CHECK(big.errors().find("the text is longer than 1048576 bytes") != std::string::npos);
  Run folder_as_file("model: {use: ./}\n", {}, sample::options(), here + "/a.yaml", here);
  CHECK(folder_as_file.errors().find("no file") != std::string::npos);
  Run device("model: {use: /dev/zero}\n", {}, sample::options(), here + "/a.yaml", here);
  CHECK(device.first() == "1:14: no file '/dev/zero'");
}

TEST_CASE("another name stands for an entry where no file has it") {
  Folder folder;
  constexpr dsl::EntryAlias kAliases[] = {{"model", "small", "gpt"}, {"cluster", "gpt", "none"}};
  dsl::Catalog catalog{sample::kCatalog, {}};
  catalog.builtin.vocabulary.aliases = kAliases;
  dsl::Sources sources;
  std::string why;
  auto find = [&](const std::string& kind, const std::string& name) {
    const dsl::Source* source = dsl::find_source(catalog, kind, name, folder.path.string(), sources, why);
    return source ? source->name : why;
  };
  CHECK(find("model", "small") == "catalog:models/gpt.yaml");
  CHECK(find("accelerator", "small") == "no accelerator named 'small'");  // of another kind
  CHECK(find("cluster", "gpt") == "no cluster named 'none'");
  const std::string own = folder.add("small.yaml", "layers: 3\n");
  CHECK(find("model", "small") == own);
}

TEST_CASE("find_source says why there is nothing") {
  Folder folder;
  const dsl::Catalog catalog{sample::kCatalog, {}};
  dsl::Sources sources;
  std::string why;
  auto find = [&](const std::string& kind, const std::string& name) {
    why.clear();
    const dsl::Source* source = dsl::find_source(catalog, kind, name, folder.path.string(), sources, why);
    return source ? source->name : why;
  };
  CHECK(find("model", "gpt") == "catalog:models/gpt.yaml");
  CHECK(find("accelerator", "a100") == "catalog:accelerators/a100.yaml");
  CHECK(find("cluster", "gpt") == "no cluster named 'gpt'");
  CHECK(find("model", "") == "not a name of a model");
  CHECK(find("model", std::string("a\0b", 3)) == "not a name of a model");
  CHECK(find("model", std::string(2000, 'x')) == "not a name of a model");
  CHECK(find("model", "../none/x") == "no file '" + (folder.path.parent_path() / "none/x").string() + "'");
  CHECK(sources.empty());  // files of the binary stay in place, and a file that was not found leaves nothing
}

TEST_CASE("a file of the binary is read once, and each time tells what is wrong with it") {
  const std::string good = "layers: 2\n", copy = good, bad = "layers: 2\nlayers: 3\n";
  const dsl::Source& source = dsl::read_builtin("catalog:models/m.yaml", good);
  CHECK(&dsl::read_builtin("catalog:models/m.yaml", copy) == &source);
  CHECK(&dsl::read_builtin("catalog:models/n.yaml", good) != &source);
  const dsl::Source& other = dsl::read_builtin("catalog:models/m.yaml", bad);
  CHECK(&other != &source);
  for (int time = 0; time < 2; ++time) {
    dsl::Diagnostics diagnostics;
    dsl::Node tree = dsl::tree_of(source, diagnostics);
    REQUIRE(tree.find("layers"));
    CHECK(tree.find("layers")->text == "2");
    CHECK(tree.find("layers")->span.source == &source);
    CHECK(diagnostics.list.empty());
    tree.entries.clear();  // a copy: the next one has its entry again
    dsl::tree_of(other, diagnostics);
    REQUIRE(diagnostics.list.size() == 1);
    CHECK(diagnostics.list[0].message == "duplicate key 'layers'");
    CHECK(diagnostics.list[0].span.source == &other);
  }
}

TEST_CASE("relative names in an extended file start at that file") {
  Folder folder;
  folder.add("base/scenario.yaml",
             "model: {use: parts/m.yaml}\njob: {sequence: 1, batch: 1}\ncluster: {use: dgx, gpus: 8}\n");
  folder.add("base/parts/m.yaml", "layers: 7\nheads: 7\n");
  const std::string here = folder.path.string();
  Run run("extends: base/scenario.yaml\njob: {batch: 2}\n", {}, sample::options(), here + "/a.yaml", here);
  CHECK(run.errors() == "");
  CHECK(run.at("model.layers") == "7");
  CHECK(run.at("job.batch") == "2");
}

TEST_CASE("long chains of extends end in a message") {
  Folder folder;
  for (int i = 0; i < 40; ++i)
    folder.add("f" + std::to_string(i) + ".yaml", "extends: f" + std::to_string(i + 1) + ".yaml\n");
  folder.add("f40.yaml", "job: {batch: 1}\n");
  const std::string here = folder.path.string();
  Run run("extends: f0.yaml\n", {}, sample::options(), here + "/a.yaml", here);
  REQUIRE(run.diagnostics.list.size() == 1);
  CHECK(run.diagnostics.list[0].message == "more than 32 files extend each other");
}

TEST_CASE("an empty section keeps what it extends; a null field does not") {
  Run run("extends: base\njob:\nmodel: {use: gpt}\ncluster: {price: null}\n",
          {{"cluster.price=1 USD/h"}, {"cluster.price="}});
  CHECK(run.errors() == "");
  CHECK(run.at("job.sequence") == "2048");
  CHECK(run.at("cluster.price") == "null");
}

TEST_CASE("a prefix names a file of another format, and its values keep their places there") {
  Folder folder;
  folder.add("config.json", "{\n\t\"depth\": 12,\n\t\"heads\": \"many\"\n}\n");
  folder.add("inner/config.json", "{\"depth\":3,\"heads\":1e1,\"gated\":true}");
  const std::string here = folder.path.string();
  const std::string rest = "job: {sequence: 1, batch: 1}\ncluster: {use: dgx, gpus: 8}\n";
  Run run("model: {use: hf:config.json}\n" + rest, {}, sample::options(), here + "/a.yaml", here);
  REQUIRE(run.diagnostics.list.size() == 1);
  CHECK(run.diagnostics.list[0].span.source->name == here + "/config.json");
  CHECK(run.first().starts_with("3:12: unknown name 'many'"));
  Run inside("model: {use: hf:inner, heads: 20}\n" + rest, {}, sample::options(), here + "/a.yaml", here);
  CHECK(inside.errors() == "");
  CHECK(inside.at("model.layers") == "3");
  CHECK(inside.at("model.heads") == "20");
  CHECK(inside.at("model.gated") == "true");
}

TEST_CASE("a file of another format that cannot be read is told once") {
  Folder folder;
  folder.add("list.json", "[1, 2]");
  folder.add("open.json", "{\"depth\": [1");
  folder.add("none.json", "{\"heads\": 1}");
  folder.add("m.yaml", "extends: hf:config.json\nheads: 7\n");
  folder.add("config.json", "{\"depth\": 12, \"heads\": 8}");
  const std::string here = folder.path.string();
  const std::string rest = "job: {sequence: 1, batch: 1}\ncluster: {use: dgx, gpus: 8}\n";
  auto told = [&](const std::string& model) {
    Run run("model: {" + model + "}\n" + rest, {}, sample::options(), here + "/a.yaml", here);
    return run.diagnostics.list.empty()
               ? run.at("model.layers") + " " + run.at("model.heads")
               : std::to_string(run.diagnostics.list.size()) + " " + run.diagnostics.list[0].message;
  };
  CHECK(told("use: hf:list.json") == "1 no depth");
  CHECK(told("use: hf:open.json") == "1 the text ends inside a value");
  CHECK(told("use: hf:none.json") == "1 no depth");
  CHECK(told("use: \"hf:\"") == "12 8");  // the folder itself holds a config.json
  CHECK(told("use: m.yaml") == "12 7");
  Run cluster("model: {use: gpt}\njob: {sequence: 1, batch: 1}\ncluster: {use: hf:config.json, gpus: 8}\n");
  CHECK(cluster.first() == "3:16: no cluster named 'hf:config.json'");
}
