// Measurements of one parameter and the models that Extra-P 4.2.5 finds for them. Values and models: the sample inputs
// and the test suite of github extra-p/extrap, commit 291ac81 (BSD-3-Clause, (c) TU Darmstadt); the models were printed
// by that version itself. The CIFAR-10 series: mean job wall times out of the Darshan logs of github
// extra-p/extradeep, commit 32b84f9 (Zenodo 10.5281/zenodo.14183393).
#pragma once

#include <string>
#include <vector>

#include "planner/scaling/fit_single.h"

namespace sample {

struct ScalingSeries {
  std::string name;
  std::vector<double> points, values;
};

inline const ScalingSeries kExample = {
    "docs/examples_input.txt",
    {4, 8, 16, 32, 64},
    {(8.31 + 8.02 + 8.14) / 3, (22.74 + 22.66 + 23.20) / 3, (65.79 + 64.74 + 66.62) / 3, (186.78 + 184.68 + 181.58) / 3,
     (528.86 + 522.44 + 531.78) / 3}};
inline const ScalingSeries kFlat = {
    "text/one_parameter_6.txt met1", {1000, 2000, 4000, 8000, 16000}, {4.02, 4.02, 4.08, 4.02, 4.2}};
inline const ScalingSeries kSquares = {
    "text/one_parameter_6.txt met2", {1000, 2000, 4000, 8000, 16000}, {1, 4, 16.0018, 64, 256}};
inline const ScalingSeries kOffset = {
    "text/one_parameter_6.txt met3", {1000, 2000, 4000, 8000, 16000}, {2.0002, 6.02, 19.02, 68.02, 261}};
inline const ScalingSeries kNoise = {"test_2parameters_example",
                                     {48, 96, 144, 192, 240, 288},
                                     {6.008398, 5.702064, 5.620546, 5.626506, 5.724294, 5.558052}};
inline const ScalingSeries kInverseLogarithm = {
    "test_modeling_negative_exponents", {2, 4, 8, 16, 32}, {1002, 502, 1006.0 / 3, 252, 202}};
inline const ScalingSeries kCifar = {
    "extradeep cifar10", {2, 4, 6, 8, 12, 16, 20}, {153, 104.25, 103.5, 88, 77.5, 72.25, 70.5}};

struct ScalingPair {
  const ScalingSeries* series;
  planner::scaling::FitOptions options;
  double constant, coefficient;  // 0 of a constant model
  planner::scaling::TermShape shape;
  double smape, rss, rrss, ar2, re;
};

// clang-format off
inline const std::vector<ScalingPair> kScalingPairs = {
    {&kExample, {}, 2.8183276094059173, 0.4827003113512488, {{5, 4}, {1}},
     2.188510467212543, 61.842672449636545, 0.0026732849327771244, 0.9995579359278263, 0.021757251002364968},
    {&kExample, {.rank_by_rss = true}, -0.6424197292650607, 1.0309089646753926, {{3, 2}, {0}},
     2.955062622429415, 42.00855524833183, 0.010562328546393976, 0.9996997142545169, 0.02846506319659322},
    {&kExample, {.cross_validation = false}, 2.8183276094059173, 0.4827003113512488, {{5, 4}, {1}},
     1.3969261594646833, 6.612249740128529, 0.0012628169887745056, 0.9999527342863662, 0.013914542144764761},
    {&kExample, {.logarithms = false}, -0.6424197292650607, 1.0309089646753926, {{3, 2}, {0}},
     2.955062622429415, 42.00855524833183, 0.010562328546393976, 0.9996997142545169, 0.02846506319659322},
    {&kFlat, {}, 4.068, 0, {},
     1.4096830104522882, 0.024479999999999915, 0.0014241178064138991, 1, 0.03142857142857156},
    {&kFlat, {.cross_validation = false}, 4.030230571056186, 2.9185488620967456e-15, {{3}, {1}},
     0.497628564799849, 0.0033591567631895652, 0.0002037402130140407, 0.8170393919831386, 0.004969321310632894},
    {&kSquares, {}, 0.0004973684210367062, 9.99997985800278e-07, {{2}, {0}},
     0.005924515291414988, 4.097848619049541e-06, 4.226476590175224e-08, 0.9999999998828732, 5.9246846022935466e-05},
    {&kSquares, {.cross_validation = false}, 0, 9.99997985800278e-07, {{2}, {0}},
     0.002451293619539572, 3.639622525346622e-06, 1.312677989993667e-08, 0.9999999998959704, 2.4511623442341022e-05},
    {&kOffset, {}, 2.1822526315789204, 1.0121669702114525e-06, {{2}, {0}},
     14.719088619853498, 51.144093926476586, 0.7264438342242855, 0.9985732058774331, 0.19784833902326945},
    {&kNoise, {}, 5.706643333333333, 0, {},
     1.8522091412472674, 0.12730252252533328, 0.003684655686292866, 1, 0.02673442661805503},
    {&kInverseLogarithm, {.negative_exponents = true}, 2, 1000, {{0}, {-1}}, 0, 0, 0, 1, 0},
    {&kCifar, {}, 164.56944842860844, -23.569666282976012, {{0}, {1}},
     10.288028888148398, 1404.886612918951, 0.10656390241529262, 0.6623267328785396, 0.0997228908658063},
    {&kCifar, {.logarithms = false}, 233.82136558048046, -81.83063370132855, {{1, 4}, {0}},
     13.234831349891824, 1990.2825596562002, 0.15974601971682267, 0.5216231628703377, 0.12662473581602152},
    {&kCifar, {.negative_exponents = true}, 55.45809338592634, 168.23926929781865, {{-4, 5}, {0}},
     3.6782258981989844, 180.76207023446887, 0.01629717771597257, 0.956552708050302, 0.03662712378346631},
};

inline const std::vector<ScalingPair> kRefiningPairs = {
    {&kExample, {}, -0.6424197292650607, 1.0309089646753926, {{3, 2}, {0}},
     2.955062622429415, 42.00855524833183, 0.010562328546393976, 0.9996997142545169, 0.02846506319659322},
    {&kFlat, {}, 4.068, 0, {},
     1.4096830104522882, 0.024479999999999915, 0.0014241178064138991, 1, 0.03142857142857156},
    {&kSquares, {}, 0.0004973684210367062, 9.99997985800278e-07, {{2}, {0}},
     0.005924515291414988, 4.097848619049541e-06, 4.226476590175224e-08, 0.9999999998828732, 5.9246846022935466e-05},
    {&kCifar, {}, 164.56944842860844, -23.569666282976012, {{0}, {1}},
     10.288028888148398, 1404.886612918951, 0.10656390241529262, 0.6623267328785396, 0.0997228908658063},
};
// clang-format on

}  // namespace sample
