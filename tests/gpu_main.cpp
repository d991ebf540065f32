// Main of the test programs that need a GPU: without one they exit with 77, which CTest counts as skipped.
// Listing the cases, which the build does, needs none.
#ifdef TILECAST_CATCH3
#  include <catch2/catch_session.hpp>
#else
#  define CATCH_CONFIG_RUNNER
#  include <catch2/catch.hpp>
#endif

#include <cstdio>

#include "kernels/runtime/gpu.hpp"

int main(int argc, char* argv[]) {
  Catch::Session session;
  if (const int wrong = session.applyCommandLine(argc, argv); wrong != 0) return wrong;
  const auto& config = session.configData();
#ifdef TILECAST_CATCH3
  const bool listing = config.listTests || config.listTags || config.listReporters || config.showHelp;
#else
  const bool listing = config.listTests || config.listTestNamesOnly || config.listTags ||
                       config.listReporters || config.showHelp;
#endif
  if (!listing) {
    if (const auto problem = tilecast::gpu_problem(); !problem.empty()) {
      std::fprintf(stderr, "skipped: %s\n", problem.c_str());
      return 77;
    }
  }
  return session.run();
}
