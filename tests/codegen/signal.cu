// One kernel for each thing that signals do to shared memory, so that its PTX can be looked at.
#include "pinhole/signal/flag.hpp"
#include "pinhole/signal/mailbox_end.hpp"
#include "pinhole/signal/ring_end.hpp"

using namespace pinhole;

extern "C" __global__ void look_at_word(const std::uint64_t* word, std::uint64_t* out) {
  *out = words::look(word);
}
extern "C" __global__ void look_at_pair(const words::pair* both, words::pair* out) {
  *out = words::look(both);
}
extern "C" __global__ void store_word(std::uint64_t* word) {
  words::store(word, 1);
}
extern "C" __global__ void store_pair(words::pair* both) {
  words::store(both, {1, 2});
}
extern "C" __global__ void raise_flag(kernel::flag_end flag, int* data) {
  *data = 1;
  flag.raise();
}
extern "C" __global__ void see_flag(kernel::flag_end flag, const int* data, int* out) {
  if (flag.is_raised()) {
    *out = *data;
  }
}
struct twelve_bytes {
  unsigned part[3];
};
using twelve = kernel::mailbox_end<twelve_bytes, twelve_bytes>;
extern "C" __global__ void receive(kernel::desk_view desk, kernel::life_line line, int* out) {
  twelve::box box;
  kernel::watch life(line);
  if (twelve(desk).receive(7, box, life)) {
    *out = static_cast<int>(twelve(desk).request(7, box).part[1]);
  }
}
extern "C" __global__ void answer(kernel::desk_view desk, twelve_bytes reply) {
  twelve(desk).answer(7, reply);
}
extern "C" __global__ void read_ring(kernel::ring_source<int> ring, int* out) {
  kernel::ring_reader<int, kernel::one_thread> reader(ring);
  if (reader.available() != 0) {
    *out = reader[0];
    reader.release(1);
  }
}
extern "C" __global__ void write_ring(kernel::ring_sink<uint4> ring, kernel::life_line line,
                                      const uint4* from) {
  kernel::watch life(line);
  kernel::ring_writer<uint4, kernel::one_warp> writer(ring);
  writer.push(from, 64, life);
}
extern "C" __global__ void raise_flag_to(kernel::flag_end flag, int* data) {
  *data = 1;
  flag.raise_to(7);
}
extern "C" __global__ void raise_flag_alone(kernel::flag_end flag) {
  flag.raise_to(7, ordering::messages);
}
extern "C" __global__ void look_in_turn(words::polled word, std::uint64_t* out) {
  *out = word.look();
}
extern "C" __global__ void count(std::uint64_t* number, std::uint64_t* out) {
  *out = kernel::count_up(number);
}
extern "C" __global__ void count_alone(std::uint64_t* number, std::uint64_t* out) {
  *out = kernel::count_up(number, 1, ordering::messages);
}
