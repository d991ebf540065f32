#pragma once
// The two steps of `predict --read-code N` over the configs that were drawn of a layer. Pure.

#include <cstddef>
#include <span>

#include "validation/blind/frozen.hpp"

namespace tilecast {

// The places of a row's times.
struct ReadChoiceTimes {
  std::size_t own = 0;     // of the kernel's own code
  std::size_t unread = 0;  // of what was known without compiling it
  std::size_t chosen = 0;  // set: `own` where it would have been read, else `unread`
};

// Of the drawn configs of each layer and family the `count` fastest are read, again and again until they are
// those that were read; development and evaluation rows apart. Configs that were not drawn are not read.
void read_fastest(std::span<FrozenRow> rows, const ReadChoiceTimes& times, std::size_t count);

}  // namespace tilecast
