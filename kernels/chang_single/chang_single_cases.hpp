#pragma once
// Odd problems and configs that together run every path of the family: each method and load mode, every
// width of loads and stores, every K, remainders of filters, rows, strips and pieces.

#include <utility>
#include <vector>

#include "model/workload/config.hpp"
#include "model/workload/conv_shape.hpp"

namespace tilecast::chang_single {

std::vector<std::pair<ConvShape, Config>> test_cases();

}  // namespace tilecast::chang_single
