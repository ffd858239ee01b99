// Which cluster of the catalogue a run's links describe.
#include <algorithm>
#include <array>

#include "dsl/read_builtin.h"
#include "planner/scenario/vocabulary.h"
#include "planner/studies/runs/row_scenario.h"

namespace planner {
namespace {

struct ClusterRow {
  const char* gpu;
  int64_t per_node;
  const char* link;  // part of inter_node_link; "": any
  const char* cluster;
  int64_t joined = 0;  // accelerators that need no link between nodes, where more than one node's
};

/// The first row that fits is taken.
constexpr std::array kClusters{
    ClusterRow{"v100-sxm2-32gb", 8, "", "dgx-1"},
    ClusterRow{"v100-sxm3-32gb", 16, "", "dgx-2"},
    ClusterRow{"a100-sxm-40gb", 8, "RoCE 1600Gb/s", "roce-a100-40gb"},
    ClusterRow{"a100-sxm-40gb", 8, "4x200Gb/s", "ib-a100-40gb-800g"},
    ClusterRow{"a100-sxm-40gb", 8, "", "dgx-a100-40gb"},
    ClusterRow{"a100-sxm-80gb", 8, "8x200Gb/s", "dgx-a100-80gb"},
    ClusterRow{"a100-sxm-80gb", 8, "RoCE 1600Gb/s", "roce-a100-80gb"},
    ClusterRow{"a100-sxm-80gb", 8, "4x100Gb/s RoCE", "roce-a100-4x100"},
    ClusterRow{"a100-sxm-80gb", 8, "IB HDR 800Gb/s", "ib-a100-800g"},
    ClusterRow{"a100-sxm-80gb", 8, "Omni-Path", "opa-a100"},
    ClusterRow{"a100-sxm-80gb", 8, "", "dgx-a100-80gb"},
    ClusterRow{"a800-80gb", 8, "4x100Gb/s RoCE", "roce-a800-4x100"},
    ClusterRow{"a800-80gb", 8, "", "roce-a800-4x100"},
    ClusterRow{"h100-sxm-80gb", 8, "400Gb/s per GPU", "dgx-h100"},
    ClusterRow{"h100-sxm-80gb", 8, "", "dgx-h100"},
    ClusterRow{"h100-sxm-96gb", 8, "400Gb/s per GPU", "hgx-h100-96gb"},
    ClusterRow{"h100-sxm-96gb", 8, "", "hgx-h100-96gb"},
    ClusterRow{"h100-pcie-80gb", 8, "", "h100-pcie-8x"},
    ClusterRow{"h100-nvl-94gb", 8, "", "h100-nvl-8x"},
    ClusterRow{"h100-nvl-94gb", 2, "", "azure-nc-h100-v5"},
    ClusterRow{"h200-sxm-141gb", 8, "400Gb/s per GPU", "dgx-h200"},
    ClusterRow{"h200-sxm-141gb", 8, "", "dgx-h200"},
    ClusterRow{"h800-80gb", 8, "", "dgx-h800"},
    ClusterRow{"h20-96gb", 8, "", "hgx-h20"},
    ClusterRow{"h20-141gb", 8, "", "hgx-h20-141gb"},
    ClusterRow{"gh200-96gb", 4, "", "alps"},
    ClusterRow{"gh200-96gb", 1, "", "gh200-1x"},
    ClusterRow{"gh200-144gb", 2, "", "gh200-nvl2"},
    ClusterRow{"b200-180gb", 8, "", "dgx-b200"},
    ClusterRow{"b300-288gb", 8, "", "dgx-b300"},
    ClusterRow{"gb200-186gb", 4, "", "gb200-nvl72", 72},
    ClusterRow{"gb300-288gb", 4, "", "gb300-nvl72", 72},
    ClusterRow{"l40s-48gb", 8, "", "l40s-pcie-8x"},
    ClusterRow{"l40-48gb", 8, "", "l40-8x"},
    ClusterRow{"l4-24gb", 8, "", "g6"},
    ClusterRow{"t4-16gb", 8, "", "g4dn"},
    ClusterRow{"a10g-24gb", 8, "", "g5"},
    ClusterRow{"a40-48gb", 8, "", "a40-8x"},
    ClusterRow{"rtx-a6000", 8, "", "rtx-a6000-8x"},
    ClusterRow{"rtx-3090", 8, "", "rtx-3090-8x"},
    ClusterRow{"rtx-4090", 8, "", "rtx-4090-8x"},
    ClusterRow{"rtx-5090", 8, "", "rtx-5090-8x"},
    ClusterRow{"rtx-6000-ada", 8, "", "rtx-6000-ada-8x"},
    ClusterRow{"rtx-pro-6000", 8, "", "rtx-pro-6000-8x"},
    ClusterRow{"mi300x-192gb", 8, "", "mi300x-oam"},
    ClusterRow{"mi325x-256gb", 8, "", "mi325x-oam"},
    ClusterRow{"mi355x-288gb", 8, "", "mi355x-oam"},
    ClusterRow{"tpuv4", 4, "", "tpu-v4-pod", 4096},
    ClusterRow{"tpu-v5e", 8, "", "tpu-v5e-pod", 256},
    ClusterRow{"tpu-v5p", 4, "", "tpu-v5p-pod", 6144},
    ClusterRow{"tpu-v6e", 8, "", "tpu-v6e-pod", 256},
    ClusterRow{"tpu-v7-ironwood", 4, "", "tpu-v7-pod", 9216},
    ClusterRow{"trainium2", 16, "", "trn2"},
    ClusterRow{"gaudi2-96gb", 8, "", "gaudi2-hls"},
    ClusterRow{"gaudi3-128gb", 8, "", "gaudi3-hls"},
};

}  // namespace

std::string accelerator_of(const RunConfig& c) {
  return std::string(vocabulary().entry_of("accelerator", dsl::lower_case(c.gpu)));
}

std::string generation_of(const RunConfig& c, const dsl::Catalog& catalog) {
  dsl::Sources sources;
  dsl::Diagnostics unasked;
  std::string why;
  const dsl::Source* file = dsl::find_source(catalog, "accelerator", accelerator_of(c), "", sources, why);
  if (!file) return {};
  const dsl::Node entry = dsl::tree_of(*file, unasked);
  const dsl::Node* generation = entry.find("generation");
  return generation ? generation->text : "";
}

ClusterChoice choose_cluster(const RunConfig& c) {
  const std::string gpu = accelerator_of(c);
  for (const ClusterRow& row : kClusters) {
    if (gpu != row.gpu || c.gpus_per_node.value_or(row.per_node) != row.per_node) continue;
    if (c.inter_node_link.find(row.link) == std::string::npos) continue;
    return {row.cluster, !*row.link && c.n_gpus.value_or(1) > std::max(row.per_node, row.joined)};
  }
  return {};
}

}  // namespace planner
