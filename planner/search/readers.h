// Which parts of a plan read a field. The varied fields decide which parts are recomputed.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace planner {

/// Parts of a plan that candidates may share, as bits. A part covers everything that it is computed from:
///
///     placement  groups of the ranks that meet inside a layer
///     blocks     (placement) layers, embedding and head: operators, times, memory of one microbatch
///     shards     groups of the ranks that share parameters
///     units      (blocks, shards) what each microbatch does besides: gathers, reductions, host copies
///     stages     (units) what each stage holds
///     crossing   the boundary between stages
///     pipeline   (stages) crossing, schedule
///     step_ops   what a stage does once a step: gradients, parameters, optimizer
///     memory     bytes of every stage
///     flops      of the model
///
/// In brackets: the part that it is computed from, whose fields it need not name again.
enum PlanPart : uint32_t {
  kPlacement = 1,
  kBlocks = 2,
  kStages = 4,
  kPipeline = 8,
  kStepOps = 16,
  kMemory = 32,
  kFlops = 64,
  kShards = 128,
  kUnits = 256,
  kCrossing = 512,
};

/// Returns the parts that read a field. A field that the table does not name is read by all of them: that costs time
/// and is never wrong.
uint32_t readers_of(std::string_view path);
/// Returns whether a field affects memory and time only through the bytes and times of one microbatch of the blocks, of
/// units and of step operators, and through sends: it changes no parameter and no stage.
bool acts_through_blocks(std::string_view path);
/// Returns whether a field is a share of kept bytes that goes to the host. More of it means less memory on a stage and
/// more on its host; otherwise it only makes units and step operators longer.
bool is_host_share(std::string_view path);
/// Returns whether a row of the table names the field. A row may have one star, which matches anything.
bool is_field_of(std::string_view path, std::string_view row);
/// Returns the fields that the table names, as its rows do.
std::span<const std::string_view> read_fields();

}  // namespace planner
