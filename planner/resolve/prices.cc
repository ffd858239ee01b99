#include "planner/resolve/prices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "dsl/node_path.h"
#include "planner/scenario/scenario.h"
#include "planner/scenario/vocabulary.h"

namespace planner {
namespace {

using dsl::Node;

constexpr const char* kContract = "cluster.price_terms.contract";
constexpr const char* kContracts = "cluster.prices";
constexpr const char* kUnused = "no entry of the price list is taken";

/// A price with its terms; the nodes keep the places where they are written.
struct Offer {
  std::string contract;
  Node price, date, region;
};

// Names keep their text, as everywhere: `date: 2026-10` is not a subtraction.
dsl::Field name_field(const std::string& path, const char* doc) {
  return {.path = path, .type = dsl::Type::name, .optional = true, .doc = doc};
}

dsl::Schema terms_schema(const std::string& prefix) {
  return {{.path = prefix + "price",
           .type = dsl::Type::quantity,
           .dim = dsl::kPrice,
           .required = true,
           .doc = "rent, per GPU and time",
           .least = 0},
          name_field(prefix + "date", "when it was asked for"),
          name_field(prefix + "region", "where it was asked for")};
}

const dsl::Schema& list_schema() {
  static const dsl::Schema schema = [] {
    const std::string prefix = fmt::format("{}.*.", kPriceList);
    dsl::Schema rows = terms_schema(prefix);
    rows.push_back(name_field(prefix + "contract", "what kind of price it is: reserved-3y"));
    rows.push_back(name_field(prefix + "source", "who says so"));
    return rows;
  }();
  return schema;
}

bool is_set(const Node* node) { return node && node->kind != Node::Kind::null; }

std::string text_at(const Node& tree, std::string_view path) {
  const Node* node = node_at(tree, path);
  return node && node->kind == Node::Kind::scalar ? node->text : "";
}

/// The entry that a name in a list or a `use` refers to.
std::string entry_named(const std::string& name) { return std::string(vocabulary().entry_of("cluster", name)); }

/// Keys, units and limits of all rows below `path`, whatever the scenario takes of them.
void check_rows(const Node& rows, std::string_view path, const dsl::Schema& schema, dsl::Diagnostics& found) {
  Node alone(Node::Kind::map, rows.span);
  make_at(alone, path) = rows;
  dsl::evaluate(alone, schema, {}, found);
}

bool check_list(const Node& list, const dsl::Catalog& catalog, dsl::Diagnostics& diagnostics) {
  dsl::Diagnostics found;
  check_rows(list, kPriceList, list_schema(), found);
  const std::vector<std::string> known = dsl::catalog_names(catalog, "cluster");
  for (const dsl::Entry& e : list.entries) {
    if (std::ranges::find(known, entry_named(e.key)) != known.end()) continue;
    const std::string hint = dsl::did_you_mean(e.key, known);
    found.error(e.key_span, fmt::format("no cluster of the catalogue is called '{}'", e.key),
                hint.empty() ? "`trainplan list cluster` has their names" : hint);
  }
  diagnostics.append(found);
  return !found.has_errors();
}

Offer offer_of(const Node& row, std::string contract) {
  return {std::move(contract), written_at(row, "price"), written_at(row, "date"), written_at(row, "region")};
}

/// The price of the list for the scenario's cluster. Its source becomes the comment, as of a catalogue's figure.
std::optional<Offer> listed(const Node& list, const Node& tree) {
  const std::string use = entry_named(text_at(tree, "cluster.use"));
  for (const dsl::Entry& e : list.entries) {
    if (use.empty() || entry_named(e.key) != use) continue;
    Offer offer = offer_of(e.value, text_at(e.value, "contract"));
    if (const std::string source = text_at(e.value, "source"); !source.empty()) offer.price.comment = source;
    return offer;
  }
  return std::nullopt;
}

/// The entry that the scenario's cluster uses, without the scenario's overrides: there its price still has its own
/// contract, and not the requested one.
Node entry_alone(const Node& tree, const ScenarioText& text) {
  const Node* use = node_at(tree, "cluster.use");
  if (!use || !use->span.source) return {};
  const dsl::Source& naming = *use->span.source;
  const dsl::Source& alone =
      text.sources.emplace_back(dsl::Source{naming.name, "cluster: {use: }\n", naming.directory});
  dsl::Diagnostics told;  // where the scenario is read
  Node out =
      dsl::load(alone, {{"cluster.use", use->span, use}}, {{"cluster", "cluster"}}, text.catalog, text.sources, told);
  drop_inherited_contracts(out);
  return out;
}

/// The available offers, the list's first: an offer of the list replaces the entry's of the same contract.
std::vector<Offer> offers_of(const Node& entry, const std::optional<Offer>& own) {
  std::vector<Offer> offers;
  if (own) offers.push_back(*own);
  const auto add = [&](Offer offer) {
    if (std::ranges::find(offers, offer.contract, &Offer::contract) == offers.end()) offers.push_back(std::move(offer));
  };
  if (const Node* price = node_at(entry, kRent); is_set(price))
    add({text_at(entry, kContract), *price, written_at(entry, "cluster.price_terms.date"),
         written_at(entry, "cluster.price_terms.region")});
  if (const Node* contracts = node_at(entry, kContracts))
    for (const dsl::Entry& e : contracts->entries) add(offer_of(e.value, e.key));
  return offers;
}

/// The terms are at the price's place: printing a price uses this to see that they belong together.
void write_offer(Node& tree, const Offer& offer) {
  take_at(tree, "cluster.price_terms");
  make_at(tree, kRent) = offer.price;
  const auto write = [&](const char* key, const std::string& text) {
    if (text.empty()) return;
    make_at(tree, fmt::format("cluster.price_terms.{}", key)) = dsl::plain_node(text, offer.price.span);
  };
  write("contract", offer.contract);
  write("date", offer.date.text);
  write("region", offer.region.text);
}

class ContractPicker {
 public:
  ContractPicker(Node& tree, const std::vector<Offer>& offers, dsl::Diagnostics& diagnostics)
      : tree_(tree), offers_(offers), diagnostics_(diagnostics) {}

  /// One contract, or a choice of several.
  void pick(const Node& asked) {
    if (asked.kind == Node::Kind::scalar) {
      if (const Offer* offer = find(asked)) write_offer(tree_, *offer);
    } else if (asked.kind == Node::Kind::list) {
      pick_choice(asked);
    }
  }

 private:
  const Offer* find(const Node& asked) {
    const auto at = std::ranges::find(offers_, asked.text, &Offer::contract);
    if (at != offers_.end()) return &*at;
    std::vector<std::string> known;
    for (const Offer& offer : offers_)
      if (!offer.contract.empty()) known.push_back(offer.contract);
    const std::string cluster = text_at(tree_, "cluster.name"), name = cluster.empty() ? "the cluster" : cluster;
    if (known.empty())
      diagnostics_.error(asked.span, fmt::format("{} has no price by contract", name),
                         "give one: --prices FILE or --set 'cluster.price=2 USD/h'");
    else
      diagnostics_.error(asked.span,
                         fmt::format("{} has no price '{}'; it has: {}", name, asked.text, fmt::join(known, ", ")),
                         dsl::did_you_mean(asked.text, known));
    return nullptr;
  }

  void pick_choice(const Node& asked) {
    std::vector<const Offer*> chosen;
    for (const Node& item : asked.items) chosen.push_back(find(item));
    if (chosen.empty() || std::ranges::find(chosen, nullptr) != chosen.end()) return;
    std::string text = chosen.back()->price.text;
    for (size_t i = chosen.size() - 1; i-- > 0;)
      text = fmt::format("if({} == \"{}\", {}, {})", kContract, chosen[i]->contract, chosen[i]->price.text, text);
    Node price = chosen.front()->price;
    price.text = std::move(text);
    make_at(tree_, kRent) = std::move(price);
    take_at(tree_, "cluster.price_terms.date");  // of one price
    take_at(tree_, "cluster.price_terms.region");
  }

  Node& tree_;
  const std::vector<Offer>& offers_;
  dsl::Diagnostics& diagnostics_;
};

void warn_unused(const Node& list, const Node& tree, bool priced, dsl::Diagnostics& diagnostics) {
  std::vector<std::string> names;
  for (const dsl::Entry& e : list.entries) names.push_back(e.key);
  const std::string use = text_at(tree, "cluster.use");
  diagnostics.warning(list.span, kUnused,
                      priced        ? "the scenario says a price itself, which wins"
                      : use.empty() ? "the scenario's cluster is of no entry of the catalogue (cluster.use)"
                                    : fmt::format("cluster.use is {}; the list has {}", use, fmt::join(names, ", ")));
}

/// Whether the scenario gives the price of its machine: null is not a price, but overrides as well.
bool says_price(const Node& written, const Node& tree) {
  return node_at(written, kRent) || is_set(node_at(tree, kPurchase[0])) || is_set(node_at(tree, kPurchase[1]));
}

/// Whether the contract is that of the price, and not another requested one.
bool has_own_terms(const Node& cluster) {
  const Node *price = cluster.find("price"), *terms = cluster.find("price_terms");
  const Node* contract = terms ? terms->find("contract") : nullptr;
  return !contract || (price && price->span.source == contract->span.source);
}

}  // namespace

const dsl::Schema& contract_schema() {
  static const dsl::Schema schema = terms_schema("cluster.prices.*.");
  return schema;
}

void drop_inherited_contracts(Node& tree) {
  Node *contracts = node_at(tree, kContracts), *price = node_at(tree, kRent);
  if (!contracts || !price) return;
  const auto is_foreign = [&](const dsl::Entry& e) { return e.value.span.source != price->span.source; };
  for (dsl::Entry& e : contracts->entries) std::erase_if(e.value.entries, is_foreign);
  std::erase_if(contracts->entries, [](const dsl::Entry& e) { return e.value.entries.empty(); });
}

void take_prices(Node& tree, const ScenarioText& text, dsl::Diagnostics& diagnostics) {
  Node list = take_at(tree, kPriceList).value_or(Node{});
  take_at(list, "use");
  const Node contracts = take_at(tree, kContracts).value_or(Node{});
  const Node* cluster = node_at(tree, "cluster");
  if (is_set(&contracts)) check_rows(contracts, kContracts, contract_schema(), diagnostics);
  if (is_set(&list) && (list.broken || !check_list(list, text.catalog, diagnostics))) return;
  if (!cluster || cluster->broken || diagnostics.has_errors()) return;
  if (!is_set(&list) && !is_set(&contracts) && has_own_terms(*cluster)) return;  // nothing to choose
  const Node written = own_tree(text);
  if (const Node* here = node_at(written, kContracts))
    diagnostics.error(here->span, "cluster.prices stands in a file of the cluster, not in a scenario",
                      "a scenario says one price (cluster.price), or takes a list of prices (--prices FILE)");
  const bool priced = says_price(written, tree);
  const std::optional<Offer> own = priced ? std::nullopt : listed(list, tree);
  if (is_set(&list) && !own) warn_unused(list, tree, priced, diagnostics);
  if (priced) return;
  const Node* asked = node_at(written, kContract);
  const bool asks = is_set(asked) && !(asked->kind == Node::Kind::scalar && asked->text.empty());
  if (asks) ContractPicker(tree, offers_of(entry_alone(tree, text), own), diagnostics).pick(*asked);
  else if (own) write_offer(tree, *own);
}

bool is_unused_list(const dsl::Diagnostic& told) {
  return told.severity == dsl::Severity::warning && told.message == kUnused;
}

}  // namespace planner
