// A GDRCopy library that fails where PINHOLE_FAKE_GDRAPI tells it to. What it maps is the device
// memory that it is given, since a fake GPU's is in this address space already.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#define PINHOLE_EXPORTED __attribute__((visibility("default")))

namespace {

std::atomic<int> live{0};  // sessions, pins and mappings

bool told(std::string_view what) {
  const char* const plan = std::getenv("PINHOLE_FAKE_GDRAPI");
  return plan != nullptr && what == plan;
}

int end_one(const char* failure) {
  --live;
  return told(failure) ? 22 : 0;
}

}  // namespace

extern "C" {

struct handle {
  unsigned long number;
};

PINHOLE_EXPORTED void* gdr_open() {
  static char session;
  if (told("no session")) {
    return nullptr;
  }
  ++live;
  return &session;
}
PINHOLE_EXPORTED int gdr_close(void*) {
  return end_one("no close");
}

PINHOLE_EXPORTED int gdr_pin_buffer(void*, unsigned long address, std::size_t, std::uint64_t,
                                    std::uint32_t, handle* out) {
  if (told("no pin")) {
    return 12;
  }
  ++live;
  out->number = address;
  return 0;
}
PINHOLE_EXPORTED int gdr_unpin_buffer(void*, handle) {
  return end_one("no unpin");
}

PINHOLE_EXPORTED int gdr_map(void*, handle pin, void** out, std::size_t) {
  if (told("no map")) {
    return 12;
  }
  ++live;
  *out = reinterpret_cast<void*>(pin.number);
  return 0;
}
PINHOLE_EXPORTED int gdr_unmap(void*, handle, void*, std::size_t) {
  return end_one("no unmap");
}

/// How much of it lives.
PINHOLE_EXPORTED int fake_gdrapi_live() {
  return live;
}
}
