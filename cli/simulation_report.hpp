#pragma once
// What a simulation says, for people and for programs.

#include <string>

#include "model/sim/sim.hpp"

namespace tilecast {

// `analytic`: the closed form's prediction of the same kernel. `interval`: what that of the time holds.
std::string simulation_text(const std::string& title, const sim::Simulation& simulation,
                            const Prediction& analytic, const std::string& interval);
std::string simulation_json(const std::string& title, const sim::Simulation& simulation,
                            const Prediction& analytic);

}  // namespace tilecast
