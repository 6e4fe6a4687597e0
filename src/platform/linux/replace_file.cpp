// A temporary file in the same folder, fsync, rename.
#include "platform/linux/replace_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

#include "platform/linux/system_error.hpp"

namespace pinhole::platform {

namespace {

[[noreturn]] void fail(const std::string& path, const char* call, int number,
                       const char* remedy = "name a file in a folder that can be written") {
  throw system_error("write '" + path + "'", call, number, remedy);
}

/// Where another name would not help.
constexpr const char* nothing_to_suggest = "";

class descriptor {
 public:
  explicit descriptor(int number) noexcept : number_(number) {}
  descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  descriptor& operator=(descriptor&&) = delete;       // nobody needs it
  descriptor(const descriptor&) = delete;             // two owners would close it twice
  descriptor& operator=(const descriptor&) = delete;  // two owners would close it twice
  ~descriptor() { (void)close(); }

  [[nodiscard]] int number() const noexcept { return number_; }
  /// False where closing reports what an earlier write could not do.
  bool close() noexcept { return number_ < 0 || ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

/// What is at the path: nothing, a file, or something that cannot be replaced by renaming.
enum class occupant { none, file, special };

occupant look_at(const std::string& path, mode_t& mode) {
  struct stat found{};
  if (stat(path.c_str(), &found) != 0) {
    if (errno != ENOENT || path.empty()) {
      fail(path, "stat", errno);
    }
    return occupant::none;
  }
  if (S_ISDIR(found.st_mode)) {
    fail(path, "open", EISDIR);
  }
  if (access(path.c_str(), W_OK) != 0) {
    fail(path, "access", errno);
  }
  mode = found.st_mode & 07777U;
  return S_ISREG(found.st_mode) ? occupant::file : occupant::special;
}

/// The file that links lead to, so that a rename replaces it and not the link.
std::string resolved(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(realpath(path.c_str(), nullptr), std::free);
  return real ? std::string(real.get()) : path;
}

void write_synced(const std::string& path, descriptor file, std::string_view text) {
  while (!text.empty()) {
    const auto written = write(file.number(), text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      fail(path, "write", errno, nothing_to_suggest);
    }
  }
  // Pipes and terminals cannot be synced and say EINVAL or EROFS.
  if (fsync(file.number()) != 0 && errno != EINVAL && errno != EROFS) {
    fail(path, "fsync", errno, nothing_to_suggest);
  }
  if (!file.close()) {
    fail(path, "close", errno, nothing_to_suggest);
  }
}

/// A new file beside the target, removed again unless it was renamed.
class temporary {
 public:
  explicit temporary(const std::string& target)
      : target_(target), name_(target + ".tmp" + std::to_string(getpid())) {}
  temporary(const temporary&) = delete;             // owns a file
  temporary& operator=(const temporary&) = delete;  // owns a file
  ~temporary() {
    if (made_) {
      (void)unlink(name_.c_str());
    }
  }

  descriptor make(const std::string& asked_path) {
    descriptor file(open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file.number() < 0) {
      fail(asked_path, "open", errno);
    }
    made_ = true;
    return file;
  }
  void become_target(const std::string& asked_path) {
    if (rename(name_.c_str(), target_.c_str()) != 0) {
      fail(asked_path, "rename", errno);
    }
    made_ = false;
  }

 private:
  std::string target_;
  std::string name_;
  bool made_ = false;
};

}  // namespace

void check_replaceable(const std::string& path) {
  mode_t mode = 0;
  if (look_at(path, mode) != occupant::special) {
    (void)temporary(resolved(path)).make(path);
  }
}

void replace_file(const std::string& path, std::string_view text) {
  mode_t mode = 0;
  const occupant before = look_at(path, mode);
  if (before == occupant::special) {
    descriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (file.number() < 0) {
      fail(path, "open", errno);
    }
    write_synced(path, std::move(file), text);
    return;
  }
  temporary next(resolved(path));
  descriptor file = next.make(path);
  if (before == occupant::file && fchmod(file.number(), mode) != 0) {
    fail(path, "fchmod", errno);
  }
  write_synced(path, std::move(file), text);
  next.become_target(path);
}

}  // namespace pinhole::platform
