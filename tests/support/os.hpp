// What tests need from the operating system: pages with a protection, folders, child processes.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace pinhole::test {

enum class protection { none, read_only, read_write };

/// Whole pages of anonymous memory, zero-filled and writable at first.
class pages {
 public:
  explicit pages(std::size_t count);
  ~pages();
  pages(const pages&) = delete;
  pages& operator=(const pages&) = delete;

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  void protect(std::size_t first_page, std::size_t count, protection how);
  /// Takes pages out of the address space.
  void unmap(std::size_t first_page, std::size_t count);

 private:
  std::byte* data_;
  std::size_t bytes_;
};

/// How much memory of the process is in RAM.
std::size_t resident_bytes();
/// How many files the process has open.
std::size_t open_files();

/// An empty folder that is removed with everything in it.
class temporary_folder {
 public:
  temporary_folder();
  ~temporary_folder();
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

/// A file in memory that has no name (a memfd), full of zeros.
class memory_file {
 public:
  explicit memory_file(std::size_t bytes);
  ~memory_file();
  memory_file(const memory_file&) = delete;
  memory_file& operator=(const memory_file&) = delete;
  /// By which this process may open it.
  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

/// A folder that stands for "/" while it lives: /proc and /sys are looked for in it.
class fake_system {
 public:
  fake_system();
  ~fake_system();
  fake_system(const fake_system&) = delete;
  fake_system& operator=(const fake_system&) = delete;

  /// Writes a file, with its folders; `path` begins with '/'.
  void write(std::string_view path, std::string_view text) const;

 private:
  temporary_folder folder_;
};

/// How a child process ended.
struct child_result {
  int exit_code = -1;  ///< 128 + the signal when one ended it
  std::string output;  ///< what it printed, both streams
};

/// Forks; the child runs `body` and exits with 0 when it returns, 3 when it throws. Exit handlers
/// do not run in it.
child_result in_forked_child(const std::function<void()>& body);

/// Starts this program anew, runs the named child in it and lets it exit in the usual way. For what
/// must not touch this process: lost devices, exit handlers, a fresh environment.
child_result in_fresh_process(const std::string& child_name);
/// Registers what in_fresh_process runs; to be defined as a global. The program's main() must be
/// the one of tests/support/child_main.cpp.
struct fresh_process {
  fresh_process(const char* name, void (*body)());
};
/// True when the arguments ask for a child; its exit code is then in `code`.
bool ran_as_child(int argc, char** argv, int& code);

/// Stops all threads of this process for so long, as a debugger or a suspended machine does.
void stand_still(std::chrono::milliseconds length);
/// Ends this process as kill -9 does: no destructor and no exit handler runs.
[[noreturn]] void die_at_once();

/// Sets an environment variable while it lives.
class environment {
 public:
  environment(const char* name, const char* value);
  ~environment();
  environment(const environment&) = delete;
  environment& operator=(const environment&) = delete;

 private:
  std::string name_;
  std::string before_;
  bool was_set_;
};

}  // namespace pinhole::test
