// The price of a machine hour: the user's price list, and the contracts of a catalogue entry.
//
//     price_list: {dgx-h100: {price: 2.10 USD/h, contract: reserved-3y}}     # `--prices FILE` is `use: FILE` there
//     cluster: {use: p5, price_terms: {contract: reserved}}                  # one of `prices` in the entry
//
// A price in the scenario itself overrides a list; a list overrides the catalogue. Either becomes cluster.price and
// cluster.price_terms. If several contracts are a choice, the price is an expression of the contract.
#pragma once

#include "dsl/record.h"
#include "planner/resolve/scenario_text.h"

namespace planner {

/// The key of a price list in a scenario, and the kind of its file.
inline constexpr const char* kPriceList = "price_list";
inline constexpr const char* kPriceListKind = "price-list";

/// Returns the fields of `prices` in a cluster's entry, a row for each contract: "cluster.prices.*.price" ...
const dsl::Schema& contract_schema();

/// Removes contracts that the cluster's entry inherits from another one with a different price: p5e extends p5, but has
/// its own price.
void drop_inherited_contracts(dsl::Node& tree);

/// Takes `price_list` and `cluster.prices` out of the tree and writes the resulting price. Diagnosed: lists with
/// unknown clusters, keys or units, and contracts that the cluster does not have. A list without an applicable price is
/// a warning.
void take_prices(dsl::Node& tree, const ScenarioText& text, dsl::Diagnostics& diagnostics);

/// Returns whether it is that warning. Of several machines it counts where all have it.
bool is_unused_list(const dsl::Diagnostic& told);

}  // namespace planner
