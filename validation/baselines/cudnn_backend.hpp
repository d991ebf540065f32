#pragma once
// Descriptors of cuDNN's backend interface (cudnn_backend.h). NVIDIA's C++ wrapper of it, cudnn-frontend, is
// in no Debian release and adds nothing that is needed here, so the C interface is used directly.

#include <cstdint>
#include <utility>
#include <vector>

#include "validation/baselines/cudnn.hpp"

namespace tilecast {

class BackendDescriptor {
 public:
  BackendDescriptor(const CudnnApi& api, cudnnBackendDescriptorType_t type);
  ~BackendDescriptor();
  BackendDescriptor(BackendDescriptor&& other) noexcept
      : api_(other.api_), descriptor_(std::exchange(other.descriptor_, nullptr)) {}
  BackendDescriptor& operator=(BackendDescriptor&&) = delete;
  cudnnBackendDescriptor_t get() const { return descriptor_; }

  // All throw LibraryRefusal.
  void set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::int64_t count,
           const void* values);
  void set_integers(cudnnBackendAttributeName_t name, std::vector<std::int64_t> values);
  void set_descriptors(cudnnBackendAttributeName_t name, std::vector<cudnnBackendDescriptor_t> values);
  void finalize();
  // How many elements were there; at most `capacity` of them are written to `values`.
  std::int64_t get(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::int64_t capacity,
                   void* values) const;
  std::int64_t get_integer(cudnnBackendAttributeName_t name) const;

 private:
  const CudnnApi* api_;
  cudnnBackendDescriptor_t descriptor_ = nullptr;
};

}  // namespace tilecast
