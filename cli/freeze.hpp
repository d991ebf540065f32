#pragma once
// validate --freeze: the first step of the blind protocol, without a GPU.

#include "cli/options.hpp"

namespace tilecast {

// Samples configs of the layers (default: the evaluation set) and of the recorded rows, predicts them by
// every model and writes FOLDER/predictions.csv, which must not be there. One that was stopped goes on where
// it was, if program, profile, models, seed and sample are the same. Throws what the models' bind() and the
// compiler throw, InputError where the folder has predictions or rows already.
ExitCode run_freeze(const OptionValues& values, CommandStreams streams);

// Names the build that is running.
std::string program_sha256();

// resnet50, vgg16 and googlenet at batch 1, im2win at batch 128, and 40 layers drawn by the seed.
std::vector<Suite> evaluation_suites(std::uint64_t seed);

}  // namespace tilecast
