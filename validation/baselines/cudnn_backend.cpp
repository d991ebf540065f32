#include "validation/baselines/cudnn_backend.hpp"

namespace tilecast {

#define TILECAST_CUDNN(call) check_cudnn(*api_, api_->call, #call)

BackendDescriptor::BackendDescriptor(const CudnnApi& api, cudnnBackendDescriptorType_t type) : api_(&api) {
  TILECAST_CUDNN(cudnnBackendCreateDescriptor(type, &descriptor_));
}

BackendDescriptor::~BackendDescriptor() {
  if (descriptor_) api_->cudnnBackendDestroyDescriptor(descriptor_);
}

void BackendDescriptor::set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                            std::int64_t count, const void* values) {
  TILECAST_CUDNN(cudnnBackendSetAttribute(descriptor_, name, type, count, values));
}

void BackendDescriptor::set_integers(cudnnBackendAttributeName_t name, std::vector<std::int64_t> values) {
  set(name, CUDNN_TYPE_INT64, static_cast<std::int64_t>(values.size()), values.data());
}

void BackendDescriptor::set_descriptors(cudnnBackendAttributeName_t name,
                                        std::vector<cudnnBackendDescriptor_t> values) {
  set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, static_cast<std::int64_t>(values.size()), values.data());
}

void BackendDescriptor::finalize() {
  TILECAST_CUDNN(cudnnBackendFinalize(descriptor_));
}

std::int64_t BackendDescriptor::get(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                                    std::int64_t capacity, void* values) const {
  std::int64_t count = 0;
  TILECAST_CUDNN(cudnnBackendGetAttribute(descriptor_, name, type, capacity, &count, values));
  return count;
}

std::int64_t BackendDescriptor::get_integer(cudnnBackendAttributeName_t name) const {
  std::int64_t value = 0;
  get(name, CUDNN_TYPE_INT64, 1, &value);
  return value;
}

}  // namespace tilecast
