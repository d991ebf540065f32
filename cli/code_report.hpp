#pragma once
// A kernel's machine code for people and for programs: mix by class, loops with their trips, the listing.

#include <string>

#include "kernels/launch_plan.hpp"
#include "kernels/sass/grid_counts.hpp"

namespace tilecast {

struct LoopTrips {
  int loop = 0;        // index in Program::loops
  double entries = 0;  // by warp 0 of the grid's middle block
  double trips = 0;    // of one entry
};

struct CodeReport {
  const sass::Program* program = nullptr;
  LaunchPlan plan;
  sass::GridCounts grid;
  std::vector<LoopTrips> loops;
};

// Executes the program for this launch; throws as Executor::run_warp. `program` must outlive the report.
CodeReport code_report(const sass::Program& program, const LaunchPlan& plan);

std::string code_text(const CodeReport& report, bool with_listing);
std::string code_json(const CodeReport& report, bool with_listing);

}  // namespace tilecast
