#pragma once
// A model as the comparison sees it: a name, and an answer for one config of one layer.

#include <functional>
#include <string>
#include <variant>

#include "kernels/family.hpp"
#include "model/workload/prediction.hpp"

namespace tilecast {

struct ModelQuery {
  const KernelFamily& family;
  const ConvShape& shape;
  const Config& config;  // feasible
  const DeviceProfile& device;
  const KernelDescription& kernel;  // of this config, from the machine code where that is known
};

// A time, or why there is none.
using ModelAnswer = std::variant<Prediction, Unsupported>;

struct BoundModel {
  std::string name;
  // Called from several threads at once. What the model throws for this config is its reason (see answer()).
  std::function<ModelAnswer(const ModelQuery&)> predict;
  // What is done once for the code of a query (compiling, listing), and not part of what its prediction
  // costs; may be empty. Failures are left to predict().
  std::function<void(const ModelQuery&)> prepare;
};

// model.predict(), with an Error as the reason for no answer.
ModelAnswer answer(const BoundModel& model, const ModelQuery& query);

// Processor time of this thread: other threads and programs do not count.
Seconds thread_time();

}  // namespace tilecast
