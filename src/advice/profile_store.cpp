// Where profiles are kept, and whose they are.
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

#include "pinhole/advice/machine_profile.hpp"
#include "pinhole/core/error.hpp"
#include "platform/linux/machine.hpp"
#include "platform/linux/replace_file.hpp"
#include "platform/linux/system_error.hpp"

namespace pinhole {

namespace {

namespace fs = std::filesystem;

/// FNV-1a: http://www.isthe.com/chongo/tech/comp/fnv/. Enough to tell devices apart.
std::string hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char byte : text) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
  }
  constexpr std::string_view digits = "0123456789abcdef";
  std::string hexadecimal;
  for (unsigned shift = 64; shift > 0; shift -= 4) {
    hexadecimal += digits[hash >> (shift - 4) & 0xFU];
  }
  return hexadecimal;
}

std::string link_of(const capabilities& facts) {
  std::string text = facts.pcie_generation || facts.pcie_width ? "PCIe" : "";
  if (facts.pcie_generation) {
    text += " " + std::to_string(*facts.pcie_generation);
  }
  if (facts.pcie_width) {
    text += " x" + std::to_string(*facts.pcie_width);
  }
  return text;
}

fs::path folder_from(const char* variable) {
  const char* const value = std::getenv(variable);
  const fs::path folder = value != nullptr ? value : "";
  // https://specifications.freedesktop.org/basedir-spec: relative paths are to be ignored.
  return folder.is_absolute() ? folder : fs::path();
}

[[noreturn]] void fail_to_read(const std::string& path, const char* call, int number) {
  throw platform::system_error("read the machine profile '" + path + "'", call, number,
                               "name a file that `pinhole calibrate` wrote");
}

}  // namespace

machine_identity identity_of(const device& where) {
  const auto& facts = where.capabilities();
  const auto host = platform::describe_machine();
  const bool is_cpu = where.kind() == device_kind::cpu;
  return {.kind = is_cpu ? "cpu" : "cuda",
          .device = where.name(),
          .device_hash = hash_of(facts.uuid.empty() ? where.name() + host.cpu : facts.uuid),
          .driver = facts.driver_version,
          .kernel = host.kernel,
          .cpu = host.cpu,
          .link = is_cpu ? "" : link_of(facts)};
}

std::string what_changed(const machine_identity& then, const machine_identity& now) {
  const auto changed = [](const char* what, const std::string& before, const std::string& after) {
    return std::string("the ") + what + " was '" + before + "' and is '" + after + "'";
  };
  if (then.kind != now.kind || then.device_hash != now.device_hash) {
    return then.device != now.device ? changed("device", then.device, now.device)
                                     : "it is another device of the same name";
  }
  if (then.driver != now.driver) {
    return changed("driver", then.driver, now.driver);
  }
  if (then.kernel != now.kernel) {
    return changed("kernel", then.kernel, now.kernel);
  }
  // A link that saves power while it idles is not another link.
  return then.cpu != now.cpu ? changed("CPU", then.cpu, now.cpu) : "";
}

std::string profile_path(const machine_identity& machine) {
  fs::path folder = folder_from("XDG_CACHE_HOME");
  if (folder.empty()) {
    folder = folder_from("HOME");
    if (folder.empty()) {
      return {};
    }
    folder /= ".cache";
  }
  return folder / "pinhole" / ("profile-" + machine.device_hash + ".json");
}

void save_profile(const machine_profile& profile, const std::string& path) {
  // A folder that cannot be made is what replace_file then complains about.
  std::error_code ignored;
  if (const auto folder = fs::path(path).parent_path(); !folder.empty()) {
    fs::create_directories(folder, ignored);
  }
  platform::replace_file(path, to_json(profile));
}

machine_profile load_profile(const std::string& path) {
  std::error_code problem;
  if (fs::is_directory(path, problem)) {
    fail_to_read(path, "open", EISDIR);
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    fail_to_read(path, "open", errno);
  }
  // One byte more than is allowed is enough to see that it is too long.
  constexpr std::size_t most = (1U << 20U) + 1;
  std::string text(most, '\0');
  file.read(text.data(), static_cast<std::streamsize>(most));
  text.resize(static_cast<std::size_t>(file.gcount()));
  try {
    return read_profile(text);
  } catch (const error& wrong) {
    throw error({.kind = wrong.kind(),
                 .asked = "read the machine profile '" + path + "'",
                 .call = wrong.call(),
                 .status = wrong.status(),
                 .remedy = wrong.remedy(),
                 .sticky = false,
                 .survives = {}});
  }
}

}  // namespace pinhole
