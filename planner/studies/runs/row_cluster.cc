// Which cluster of the catalogue a run's links describe.
#include <algorithm>
#include <array>
#include <cctype>

#include "planner/studies/runs/row_scenario.h"

namespace planner {
namespace {

struct ClusterRow {
  const char* gpu;
  int64_t per_node;
  const char* link;  // part of inter_node_link; "": any
  const char* cluster;
};

/// The first row that fits is taken.
constexpr std::array kClusters{
    ClusterRow{"v100-sxm2-32gb", 8, "", "dgx-1"},
    ClusterRow{"v100-sxm3-32gb", 16, "", "dgx-2"},
    ClusterRow{"a100-sxm-40gb", 8, "RoCE 1600Gb/s", "roce-a100-40gb"},
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
    ClusterRow{"h200-sxm-141gb", 8, "400Gb/s per GPU", "dgx-h200"},
    ClusterRow{"h200-sxm-141gb", 8, "", "dgx-h200"},
    ClusterRow{"b200-180gb", 8, "", "dgx-b200"},
};

}  // namespace

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

ClusterChoice choose_cluster(const RunConfig& c) {
  std::string gpu = lower_case(c.gpu);
  for (const ClusterRow& row : kClusters) {
    if (gpu != row.gpu || c.gpus_per_node.value_or(row.per_node) != row.per_node) continue;
    if (c.inter_node_link.find(row.link) == std::string::npos) continue;
    return {row.cluster, !*row.link && c.n_gpus.value_or(1) > row.per_node};
  }
  return {};
}

}  // namespace planner
