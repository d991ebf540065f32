#include "validation/model_query.hpp"

#include <time.h>

#include "model/support/errors.hpp"

namespace tilecast {

ModelAnswer answer(const BoundModel& model, const ModelQuery& query) {
  try {
    return model.predict(query);
  } catch (const Error& error) {
    return Unsupported{error.what()};
  }
}

Seconds thread_time() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return Seconds{static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec)};
}

}  // namespace tilecast
