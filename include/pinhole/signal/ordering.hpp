// How much a signal orders besides itself.
#pragma once

namespace pinhole {

enum class ordering {
  all_memory,  ///< who sees the signal sees all that its sender wrote before
  messages,    ///< nothing but what the signal itself carries, which saves the fence before each
               ///< signal of a kernel
};

}  // namespace pinhole
