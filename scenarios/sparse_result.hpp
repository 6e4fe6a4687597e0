// Kernels that write a few elements of a large array, and the ways to bring those to the host.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pinhole/memory/any_buffer.hpp"
#include "pinhole/memory/copy.hpp"
#include "pinhole/memory/staged_buffer.hpp"
#include "scenarios/arms.hpp"

namespace pinhole::scenarios {

/// Where a kernel puts its results: into the array, or, where there is a list, onto it in the order
/// of sparse_job::written.
template <class T>
struct sparse_output {
  view<T> whole;
  view<T> list;

  PINHOLE_HD void put(std::size_t i, std::size_t position, const T& value) const {
    if (list.empty()) {
      whole[position] = value;
    } else {
      list[i] = value;
    }
  }
};

/// The work, shared by the arms of a trial.
template <class T>
class sparse_job {
 public:
  virtual ~sparse_job() = default;

  /// Elements of the array.
  [[nodiscard]] virtual std::size_t size() const = 0;
  /// What element `position` is before the kernel runs.
  [[nodiscard]] virtual T before(std::size_t position) const = 0;
  /// Queues the kernel, which writes the elements at written() and no others.
  virtual void launch(const stream_ref& work, const sparse_output<T>& into) const = 0;
  /// For messages: "pixel (3, 4): expected #ff0000ff, got #00000000".
  [[nodiscard]] virtual std::string difference(std::size_t position, T expected, T got) const = 0;

  /// Positions that the kernel writes, ascending; the host knows them.
  [[nodiscard]] const std::vector<std::size_t>& written() const noexcept { return written_; }
  /// By the plain reference, what it writes there.
  [[nodiscard]] const std::vector<T>& expected() const noexcept { return expected_; }

 protected:
  std::vector<std::size_t> written_;
  std::vector<T> expected_;
};

/// An arm that holds the array. After the kernel the host reads the elements that it wrote.
template <class T>
class sparse_arm : public arm {
 public:
  using shared_job = std::shared_ptr<const sparse_job<T>>;

  sparse_arm(std::string name, role stands_for, shared_job job)
      : name_(std::move(name)),
        role_(stands_for),
        job_(std::move(job)),
        seen_(job_->written().size()) {}

  [[nodiscard]] std::string name() const final { return name_; }
  [[nodiscard]] role stands_for() const final { return role_; }

  /// The host's array; used while the device is idle.
  [[nodiscard]] virtual basic_buffer<T>& array() = 0;

  void prepare() override {
    std::ranges::fill(seen_, T{});
    if (!filled_) {
      fill();
      filled_ = true;
    }
    const auto elements = array().host();
    for (const std::size_t position : job().written()) {
      elements[position] = job().before(position);
    }
  }

  [[nodiscard]] std::optional<std::string> check() final {
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      if (seen_[i] != job().expected()[i]) {
        return "as the host read it, " +
               job().difference(job().written()[i], job().expected()[i], seen_[i]);
      }
    }
    return first_difference();
  }

 protected:
  [[nodiscard]] const sparse_job<T>& job() const noexcept { return *job_; }
  [[nodiscard]] std::uint64_t written_bytes() const { return seen_.size() * sizeof(T); }
  /// What the host wants: the elements that were written, out of its array.
  void look() {
    const auto elements = array().host();
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      seen_[i] = elements[job().written()[i]];
    }
  }

 private:
  static constexpr std::size_t elements_at_once = 65536;

  void fill() {
    std::vector<T> some(std::min(elements_at_once, job().size()));
    for (std::size_t first = 0; first < job().size(); first += some.size()) {
      const auto part = std::span(some).first(std::min(some.size(), job().size() - first));
      for (std::size_t i = 0; i < part.size(); ++i) {
        part[i] = job().before(first + i);
      }
      array().write(first, part);
    }
  }

  /// Of all elements, those that must not have changed included.
  std::optional<std::string> first_difference() {
    std::vector<T> some(std::min(elements_at_once, job().size()));
    std::size_t next = 0;  // of the elements that were written
    for (std::size_t first = 0; first < job().size(); first += some.size()) {
      const auto part = std::span(some).first(std::min(some.size(), job().size() - first));
      array().read(first, part);
      for (std::size_t i = 0; i < part.size(); ++i) {
        const bool is_written = next < seen_.size() && job().written()[next] == first + i;
        const T expected = is_written ? job().expected()[next++] : job().before(first + i);
        if (part[i] != expected) {
          return job().difference(first + i, expected, part[i]);
        }
      }
    }
    return std::nullopt;
  }

  std::string name_;
  role role_;
  shared_job job_;
  std::vector<T> seen_;
  bool filled_ = false;
};

/// The article's way: the kernel writes into an array on the device, and all of it is copied back,
/// into pageable memory; and the same into pinned memory, which is as fast as whole copies get.
template <class T>
class copied_whole final : public sparse_arm<T> {
 public:
  copied_whole(const device& where, std::shared_ptr<const sparse_job<T>> job, host_memory memory)
      : sparse_arm<T>(memory == host_memory::pinned ? "copy, pinned" : "copy", role::naive_copy,
                      std::move(job)),
        where_(where),
        array_(where, this->job().size(), {.host = memory}),
        work_(where) {}

  [[nodiscard]] traffic moved() const override {
    return {.to_device = 0, .to_host = array_.host().size_bytes()};
  }
  [[nodiscard]] basic_buffer<T>& array() override { return array_; }

  void prepare() override {
    sparse_arm<T>::prepare();
    copy_to_device(where_, array_.device(), array_.host());
  }

  void run() override {
    this->job().launch(work_, {.whole = array_.device(), .list = {}});
    work_.before_copy();
    copy_to_host(where_, array_.host(), array_.device());
    this->look();
  }

 private:
  device where_;
  staged_buffer<T> array_;
  default_stream work_;
};

/// The expert's way: the kernel lists what it would write, the host copies the list, with one wait,
/// and writes it into its array.
template <class T>
class copied_list final : public sparse_arm<T> {
 public:
  copied_list(const device& where, std::shared_ptr<const sparse_job<T>> job)
      : sparse_arm<T>("expert copy", role::expert_copy, std::move(job)),
        work_(where),
        array_(where, this->job().size(), {.host = host_memory::pageable}),
        list_(where, this->job().written().size()) {}

  [[nodiscard]] std::optional<placement> placed() const override { return list_.placed(); }
  [[nodiscard]] traffic moved() const override {
    return {.to_device = 0, .to_host = this->written_bytes()};
  }
  [[nodiscard]] basic_buffer<T>& array() override { return array_; }

  void run() override {
    this->job().launch(work_, {.whole = {}, .list = list_.device()});
    list_.to_host(work_);
    work_.wait(patience);
    const auto elements = array_.host();
    for (std::size_t i = 0; i < list_.size(); ++i) {
      elements[this->job().written()[i]] = list_.host()[i];
    }
    this->look();
  }

 private:
  stream work_;             // outlives the buffer that is handed over on it
  staged_buffer<T> array_;  // the host's half alone is used
  staged_buffer<T> list_;
};

/// The kernel writes into the host's array where it is.
template <class T>
class written_in_place final : public sparse_arm<T> {
 public:
  written_in_place(const device& where, std::shared_ptr<const sparse_job<T>> job, placement how)
      : sparse_arm<T>(std::string(to_string(how)), role::in_place, std::move(job)),
        work_(where),
        array_(make_buffer<T>(where, this->job().size(), how)) {}

  [[nodiscard]] std::optional<placement> placed() const override { return array_.placed(); }
  [[nodiscard]] traffic moved() const override {
    return {.to_device = 0, .to_host = this->written_bytes()};
  }
  [[nodiscard]] basic_buffer<T>& array() override { return array_; }

  void run() override {
    array_.to_device(work_);
    this->job().launch(work_, {.whole = array_.device(), .list = {}});
    array_.to_host(work_);
    work_.wait(patience);
    this->look();
  }

 private:
  stream work_;  // outlives the buffer that is handed over on it
  any_buffer<T> array_;
};

/// Adds all of these to a trial.
template <class T>
void add_arms(trial& to, const settings& asked, const std::shared_ptr<const sparse_job<T>>& job) {
  to.arms.push_back(std::make_unique<copied_whole<T>>(asked.where, job, host_memory::pageable));
  to.arms.push_back(std::make_unique<copied_whole<T>>(asked.where, job, host_memory::pinned));
  to.arms.push_back(std::make_unique<copied_list<T>>(asked.where, job));
  for (const placement how : placements_anywhere(asked)) {
    to.arms.push_back(std::make_unique<written_in_place<T>>(asked.where, job, how));
    if (how == placement::vram) {
      to.notes.emplace_back(
          "vram: what the host reads lies apart, so that each element is a load of its own, which "
          "waits for the link");
    }
  }
}

}  // namespace pinhole::scenarios
