#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <sstream>

#include "cli/commands/commands.h"
#include "cli/commands/flags.h"
#include "cli/input/json_object.h"
#include "cli/render/html.h"
#include "cli/report/data.h"
#include "cli/serve/local_server.h"
#include "planner/studies/start/start.h"

namespace cli {
namespace {

struct ServeFlags {
  CommonFlags common;
  ScenarioFlags scenario;
  int64_t port = 0;
};

constexpr int64_t kMostPort = 65535;
constexpr std::array kServeRows{
    flag<&ServeFlags::port>(
        {"--port", "N", "listen on this port of 127.0.0.1 (a free one)", Takes::positive_whole, kMostPort}),
};
constexpr auto kServeFlags = scenario_flags(kPickRows<ServeFlags>, kServeRows);

/// What the page may ask for: a command of trainplan, with the scenario and the fields that the page sets.
struct PageCommand {
  const char* path;
  const char* command;
  const char* input;  // "": the scenario
  const char* more[4] = {};
  const char* format = "html";
  bool picks = false;      // takes --pick
  bool elsewhere = false;  // on the machines that the page names
  bool walks = false;      // a search: it may be interrupted
};
constexpr std::array kPageCommands{
    PageCommand{.path = "plan", .command = "plan", .input = "", .picks = true},
    PageCommand{.path = "values", .command = "plan", .input = "", .format = "json", .picks = true},
    PageCommand{.path = "machines", .command = "clusters", .input = "", .elsewhere = true, .walks = true},
    PageCommand{
        .path = "layouts", .command = "search", .input = "", .more = {"--top", "10", "--limit", "1e7"}, .walks = true},
    PageCommand{.path = "fields", .command = "list", .input = "scenario-field", .format = "json"},
    PageCommand{.path = "names/model", .command = "list", .input = "model", .format = "json"},
    PageCommand{.path = "names/cluster", .command = "list", .input = "cluster", .format = "json"},
};

/// A file that the page is made of.
struct ServedFile {
  const char* path;
  const char* name;
  const char* type;
};
constexpr std::array kServedFiles{
    ServedFile{"", "serve.html", "text/html; charset=utf-8"},
    ServedFile{"serve.css", "serve.css", "text/css; charset=utf-8"},
    ServedFile{"serve.js", "serve.js", "text/javascript; charset=utf-8"},
    ServedFile{"report.css", "report.css", "text/css; charset=utf-8"},
    ServedFile{"report.js", "report.js", "text/javascript; charset=utf-8"},
};

/// What a page sends: {"set": {"job.global_batch": "1024"}, "on": "dgx-h100,dgx-b200"}.
struct PageChanges {
  std::vector<std::string> set;
  std::string on;
};

/// The command line's part of every question: which scenario, with which flags.
struct ServedScenario {
  std::string input;  // a file, or "-"
  std::string text;   // of "-"
  ServeFlags flags;
};

/// Mistakes point into the source.
std::optional<PageChanges> read_changes(const dsl::Source& source, dsl::Diagnostics& diagnostics) {
  const dsl::Node node = dsl::parse_json(source, diagnostics);
  const JsonObject object(node, diagnostics);
  PageChanges changes;
  if (node.kind != dsl::Node::Kind::map && !diagnostics.has_errors())
    diagnostics.error(node.span, "expected an object", R"({"set": {"job.global_batch": "1024"}})");
  if (!diagnostics.has_errors() && object.has("set"))
    for (const dsl::Entry& e : object.object("set").entries()) changes.set.push_back(e.key + "=" + e.value.text);
  if (!diagnostics.has_errors() && object.has("on")) changes.on = object.text("on");
  if (diagnostics.has_errors()) return std::nullopt;
  return changes;
}

std::vector<std::string> words_of(const PageCommand& row, const ServedScenario& served, const PageChanges& changes) {
  std::vector<std::string> words{row.command, *row.input ? row.input : served.input};
  const auto add = [&](const char* flag, const std::string& value) { words.insert(words.end(), {flag, value}); };
  for (const std::string& folder : served.flags.common.catalog) add("--catalog", folder);
  if (!*row.input) {
    for (const std::string& set : served.flags.scenario.set) add("--set", set);
    for (const std::string& set : changes.set) add("--set", set);
    if (!served.flags.scenario.prices.empty()) add("--prices", served.flags.scenario.prices);
    if (row.picks && !served.flags.scenario.pick.empty()) add("--pick", served.flags.scenario.pick);
    if (row.elsewhere && !changes.on.empty()) add("--on", changes.on);
  }
  for (const char* word : row.more)
    if (word) words.emplace_back(word);
  return words;
}

struct RanCommand {
  int status = kDone;
  std::string out, err;
};

RanCommand ran(std::vector<std::string> words, const char* format, const ServedScenario& served) {
  std::istringstream in(served.text);
  std::ostringstream out, err;
  Streams streams{.in = in, .out = out, .err = err};
  words.insert(words.end(), {"--format", format});
  const int status = run(words, streams);
  return {status, out.str(), err.str()};
}

/// {"status": 0, "out": "what the command printed", "err": "warnings", "diagnostics": "the JSON of mistakes"}.
PageReply command_reply(const PageCommand& row, const PageChanges& changes, const ServedScenario& served,
                        LocalServer& server) {
  const std::vector<std::string> words = words_of(row, served, changes);
  // One search at a time: each takes over the signals while it runs.
  static std::mutex one_search;
  std::unique_lock lock(one_search, std::defer_lock);
  if (row.walks || !served.flags.scenario.pick.empty()) lock.lock();
  const RanCommand done = ran(words, row.format, served);
  if (done.status == kInterrupted) server.stop();
  Data::Object reply{{"status", done.status}, {"out", done.out}, {"err", done.err}};
  // Only JSON has the places of mistakes as data.
  if (done.status == kInvalidInput) reply.push_back({"diagnostics", ran(words, "json", served).out});
  std::ostringstream text;
  print_json(reply, text);
  return {.type = "application/json", .text = text.str()};
}

std::string_view file_text(std::string_view name) {
  for (const auto files : {served_files(), page_files()})
    if (const auto file = std::ranges::find(files, name, &PageFile::name); file != files.end()) return file->text;
  return "";
}

PageReply answer(const PageRequest& request, const ServedScenario& served, LocalServer& server) {
  if (const auto file = std::ranges::find(kServedFiles, request.path, &ServedFile::path); file != kServedFiles.end())
    return {.type = file->type, .text = std::string(file_text(file->name))};
  const auto row = std::ranges::find(kPageCommands, request.path, &PageCommand::path);
  if (row == kPageCommands.end()) return {404, {}, "there is no such page\n"};
  const dsl::Source source{"request", request.body.empty() ? "{}" : request.body};
  dsl::Diagnostics diagnostics;
  if (const std::optional<PageChanges> changes = read_changes(source, diagnostics))
    return command_reply(*row, *changes, served, server);
  std::string why;
  for (const dsl::Diagnostic& d : diagnostics.list) why += dsl::render(d, false);
  return {.status = 400, .text = why};
}

/// The scenario to begin with. nullopt: it cannot be read (reported).
std::optional<ServedScenario> served_scenario(const ServeFlags& options, Streams& streams) {
  ServedScenario served{.input = "-", .text = "", .flags = options};
  Session session = open_session(options.common);
  if (options.common.inputs.empty()) {
    if (auto text = planner::starting_scenario({}, session.catalog, session.sources, session.diagnostics))
      served.text = *std::move(text);
  } else if (options.common.inputs[0] == "-") {
    if (const dsl::Source* source = read_input("-", streams, session)) served.text = source->text;
  } else {
    served.input = options.common.inputs[0];
  }
  if (report_diagnostics(options.common, streams, session) != kDone) return std::nullopt;
  return served;
}

int run_serve(const ServeFlags& options, Streams& streams) {
  const std::optional<ServedScenario> served = served_scenario(options, streams);
  if (!served) return kInvalidInput;
  const RanCommand first = ran(words_of(kPageCommands[0], *served, {}), "table", *served);
  if (first.status != kDone && first.status != kNotFeasible) {
    streams.screen() << first.err;
    return first.status;
  }
  LocalServer server(static_cast<uint16_t>(options.port));
  if (!server.why().empty()) {
    streams.err << fmt::format(
        "trainplan serve: cannot listen on port {} of 127.0.0.1: {}; without --port, a free port "
        "is taken\n",
        options.port, server.why());
    return kInvalidInput;
  }
  streams.out << server.address() << std::endl;
  if (!options.common.quiet) streams.err << "open this address in a browser; control-C ends the server\n" << std::flush;
  server.run([&](const PageRequest& request) { return answer(request, *served, server); });
  return kDone;
}

constexpr Example kServeExamples[] = {
    {"sliders for a scenario, in a browser", "trainplan serve example:gpt3-175b"},
    {"a first scenario, to change on the page", "trainplan serve"},
};

}  // namespace

Command serve_command() {
  return command_of<kServeFlags, run_serve>(
      {.name = "serve",
       .summary = "a page on this machine: a form and sliders, and the plan that follows them",
       .argument = "[SCENARIO]",
       .examples = kServeExamples});
}

}  // namespace cli
