#include <fmt/format.h>

#include <string>
#include <utility>

#include "kernels/runtime/driver.hpp"
#include "kernels/runtime/gpu.hpp"
#include "kernels/runtime/launch.hpp"

namespace tilecast {

Kernel::Kernel(const CompiledCode& code, std::string_view entry) {
  CUmodule module = nullptr;
  TILECAST_DRIVER(cuModuleLoadData(&module, code.cubin.data()));
  CUfunction function = nullptr;
  const CUresult result = driver().cuModuleGetFunction(&function, module, std::string(entry).c_str());
  if (result != CUDA_SUCCESS) driver().cuModuleUnload(module);  // the failure told is the one that led here
  check_driver(result, fmt::format("cuModuleGetFunction(\"{}\")", entry).c_str(), __FILE__, __LINE__);
  module_ = module;
  function_ = function;
}

Kernel::~Kernel() {
  // A destructor has nobody to tell of a failure, and a failed kernel makes this one fail too.
  if (module_) driver().cuModuleUnload(static_cast<CUmodule>(module_));
}

Kernel::Kernel(Kernel&& other) noexcept
    : module_(std::exchange(other.module_, nullptr)), function_(std::exchange(other.function_, nullptr)) {}

Kernel& Kernel::operator=(Kernel&& other) noexcept {
  Kernel old(std::move(other));
  std::swap(module_, old.module_);
  std::swap(function_, old.function_);
  return *this;
}

void prepare_shared_memory(void* kernel_function, std::int64_t dynamic_shared_bytes) {
  const auto function = static_cast<CUfunction>(kernel_function);
  int allowed = 0, fixed = 0;
  TILECAST_DRIVER(cuFuncGetAttribute(&allowed, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, function));
  if (dynamic_shared_bytes > allowed)
    TILECAST_DRIVER(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                       static_cast<int>(dynamic_shared_bytes)));
  TILECAST_DRIVER(cuFuncGetAttribute(&fixed, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function));
  // Left alone, the driver may size the shared memory for fewer blocks than would fit.
  if (dynamic_shared_bytes + fixed > 0)
    TILECAST_DRIVER(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
                                       CU_SHAREDMEM_CARVEOUT_MAX_SHARED));
}

int Kernel::resident_blocks(std::int64_t threads, std::int64_t dynamic_shared_bytes) const {
  prepare_shared_memory(function_, dynamic_shared_bytes);
  int blocks = 0;
  TILECAST_DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessor(
      &blocks, static_cast<CUfunction>(function_), static_cast<int>(threads),
      static_cast<std::size_t>(dynamic_shared_bytes)));
  return blocks;
}

}  // namespace tilecast
