#pragma once
// The statistics that every result is reported with.

#include <span>

namespace tilecast {

// The value below which `fraction` (0..1) of the samples lie: linear between the two nearest ranks, as
// NumPy's default. The samples need no order. Requires at least one sample.
double quantile(std::span<const double> samples, double fraction);

double median(std::span<const double> samples);

}  // namespace tilecast
