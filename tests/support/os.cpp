// The system calls behind os.hpp.
#include "tests/support/os.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>

#include "platform/linux/host_limits.hpp"

namespace pinhole::test {

namespace {

std::size_t page_bytes() {
  return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

void check(bool worked, const char* what) {
  if (!worked) {
    throw std::runtime_error(std::string("the test cannot run: ") + what + " failed");
  }
}

std::map<std::string, void (*)()>& children() {
  static std::map<std::string, void (*)()> known;
  return known;
}

int exit_code_of(const std::function<void()>& body) noexcept {
  try {
    body();
    return 0;
  } catch (const std::exception& thrown) {
    std::fprintf(stderr, "%s\n", thrown.what());
  } catch (...) {
    std::fputs("thrown: not an exception\n", stderr);
  }
  return 3;
}

/// Forks with the child's output in a pipe, and waits for the child's end.
child_result run_child(const std::function<void()>& in_child) {
  std::array<int, 2> ends{};
  check(pipe(ends.data()) == 0, "pipe");
  std::fflush(nullptr);
  const pid_t child = fork();
  check(child >= 0, "fork");
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    in_child();
    _exit(127);
  }
  close(ends[1]);
  child_result result;
  std::array<char, 4096> part{};
  for (ssize_t got = 0; (got = read(ends[0], part.data(), part.size())) > 0;) {
    result.output.append(part.data(), static_cast<std::size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  check(waitpid(child, &status, 0) == child, "waitpid");
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace

pages::pages(std::size_t count) : bytes_(count * page_bytes()) {
  void* const got =
      mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  check(got != MAP_FAILED, "mmap");
  data_ = static_cast<std::byte*>(got);
}

pages::~pages() {
  munmap(data_, bytes_);
}

void pages::protect(std::size_t first_page, std::size_t count, protection how) {
  const int flags = how == protection::none        ? PROT_NONE
                    : how == protection::read_only ? PROT_READ
                                                   : PROT_READ | PROT_WRITE;
  check(mprotect(data_ + first_page * page_bytes(), count * page_bytes(), flags) == 0, "mprotect");
}

void pages::unmap(std::size_t first_page, std::size_t count) {
  check(munmap(data_ + first_page * page_bytes(), count * page_bytes()) == 0, "munmap");
}

std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t all = 0;
  std::size_t resident = 0;
  check(static_cast<bool>(file >> all >> resident), "reading /proc/self/statm");
  return resident * page_bytes();
}

std::size_t open_files() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

temporary_folder::temporary_folder() {
  std::string name = std::filesystem::temp_directory_path() / "pinhole-test-XXXXXX";
  check(mkdtemp(name.data()) != nullptr, "mkdtemp");
  path_ = name;
}

temporary_folder::~temporary_folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

memory_file::memory_file(std::size_t bytes) : file_(memfd_create("pinhole-test", MFD_CLOEXEC)) {
  if (file_ < 0 || ftruncate(file_, static_cast<off_t>(bytes)) != 0) {
    throw std::runtime_error("no file in memory");
  }
}

memory_file::~memory_file() {
  close(file_);
}

fake_system::fake_system() {
  platform::set_system_root(folder_.path());
}

fake_system::~fake_system() {
  platform::set_system_root("");
}

void fake_system::write(std::string_view path, std::string_view text) const {
  const auto file = folder_.path() / path.substr(1);
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

void stand_still(std::chrono::milliseconds length) {
  const pid_t me = getpid();
  const pid_t waker = fork();
  check(waker >= 0, "fork");
  if (waker == 0) {
    usleep(static_cast<useconds_t>(length.count() * 1000));
    while (kill(me, SIGCONT) == 0) {  // again, in case that it had not stopped yet
      usleep(100'000);
    }
    _exit(0);
  }
  raise(SIGSTOP);
  kill(waker, SIGKILL);
  waitpid(waker, nullptr, 0);
}

void die_at_once() {
  kill(getpid(), SIGKILL);
  std::abort();  // never reached
}

child_result in_forked_child(const std::function<void()>& body) {
  return run_child([&] { _exit(exit_code_of(body)); });
}

child_result in_fresh_process(const std::string& child_name) {
  return run_child([&] {
    execl("/proc/self/exe", "child", "--child", child_name.c_str(), static_cast<char*>(nullptr));
  });
}

fresh_process::fresh_process(const char* name, void (*body)()) {
  children().emplace(name, body);
}

bool ran_as_child(int argc, char** argv, int& code) {
  if (argc != 3 || std::string_view(argv[1]) != "--child") {
    return false;
  }
  const auto found = children().find(argv[2]);
  code = found == children().end() ? 126 : exit_code_of(found->second);
  return true;
}

environment::environment(const char* name, const char* value) : name_(name) {
  const char* const old = std::getenv(name);
  was_set_ = old != nullptr;
  before_ = was_set_ ? old : "";
  setenv(name, value, 1);
}

environment::~environment() {
  if (was_set_) {
    setenv(name_.c_str(), before_.c_str(), 1);
  } else {
    unsetenv(name_.c_str());
  }
}

}  // namespace pinhole::test
