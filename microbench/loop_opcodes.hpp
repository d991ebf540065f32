#pragma once
// What the loops of a kernel execute, from nvdisasm's listing: enough to see whether the work that a probe
// divides by is in its machine code. Pure text in, counts out.

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tilecast {

// One loop without another loop in it. Opcodes as listed, modifiers included: "LDG.E.128.STRONG.GPU".
struct CodeLoop {
  std::map<std::string, int, std::less<>> opcodes;
  int instructions = 0;

  // How many are `opcode`, with `modifier` among its modifiers where one is given ("128").
  int count(std::string_view opcode, std::string_view modifier = {}) const;
};

// In the order of their ends. A branch back to a label closes a loop; the idle loop that ends every kernel is
// left out. Empty when the listing has no kernel `entry` or that one has no loops.
std::vector<CodeLoop> innermost_loops(std::string_view listing, std::string_view entry);

// All instructions of the kernel, as one.
CodeLoop whole_kernel(std::string_view listing, std::string_view entry);

}  // namespace tilecast
