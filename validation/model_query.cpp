#include "validation/model_query.hpp"

#include "model/support/errors.hpp"

namespace tilecast {

ModelAnswer answer(const BoundModel& model, const ModelQuery& query) {
  try {
    return model.predict(query);
  } catch (const Error& error) {
    return Unsupported{error.what()};
  }
}

}  // namespace tilecast
