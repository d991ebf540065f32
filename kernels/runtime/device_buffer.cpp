#include <fmt/format.h>

#include <utility>

#include "kernels/runtime/driver.hpp"
#include "kernels/runtime/gpu.hpp"

namespace tilecast {
namespace {

void check_range(std::size_t offset, std::size_t bytes, std::size_t size) {
  if (offset > size || bytes > size - offset)
    throw Error(ExitCode::failure, fmt::format("device buffer: bytes {} to {} asked for, it has {}", offset,
                                               offset + bytes, size));
}

}  // namespace

DeviceBuffer::DeviceBuffer(std::size_t bytes) : bytes_(bytes) {
  // Whole 16 bytes: a memory checker counts a 16-byte asynchronous copy as 16 bytes read, even where its
  // source size says fewer.
  CUdeviceptr address = 0;
  if (bytes > 0) TILECAST_DRIVER(cuMemAlloc(&address, (bytes + 15) / 16 * 16));
  address_ = address;
}

DeviceBuffer::~DeviceBuffer() {
  // A destructor has nobody to tell of a failure, and a failed kernel makes this one fail too.
  if (address_) driver().cuMemFree(address_);
}

DeviceBuffer::DeviceBuffer(DeviceBuffer&& other) noexcept
    : address_(std::exchange(other.address_, 0)), bytes_(std::exchange(other.bytes_, 0)) {}

DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept {
  DeviceBuffer old(std::move(other));
  std::swap(address_, old.address_);
  std::swap(bytes_, old.bytes_);
  return *this;
}

void DeviceBuffer::upload(const void* source, std::size_t bytes, std::size_t offset) {
  check_range(offset, bytes, bytes_);
  if (bytes > 0) TILECAST_DRIVER(cuMemcpyHtoD(address_ + offset, source, bytes));
}

void DeviceBuffer::download(void* target, std::size_t bytes, std::size_t offset) const {
  check_range(offset, bytes, bytes_);
  if (bytes > 0) TILECAST_DRIVER(cuMemcpyDtoH(target, address_ + offset, bytes));
}

void DeviceBuffer::fill32(std::uint32_t pattern) {
  if (bytes_ % 4 != 0)
    throw Error(ExitCode::failure,
                fmt::format("device buffer: fill32 of {} bytes, expected a multiple of 4", bytes_));
  if (bytes_ > 0) TILECAST_DRIVER(cuMemsetD32(address_, pattern, bytes_ / 4));
}

}  // namespace tilecast
