// Writes a file whole or not at all.
#pragma once

#include <string>
#include <string_view>

namespace pinhole::platform {

/// Throws the fault::io error that replace_file would throw for this path as things are now: for a
/// folder, a folder that is not there, a file or folder that may not be written. Long work asks
/// this first. Leaves nothing behind.
void check_replaceable(const std::string& path);

/// Makes `text` the contents of the file. It is written to a temporary file beside it, synced and
/// renamed, so that at every moment the path holds the old contents or all of the new ones; after a
/// failure, the old ones. A symbolic link stays and what it names is replaced; a device, a pipe or
/// a socket is written to directly. Throws fault::io.
void replace_file(const std::string& path, std::string_view text);

}  // namespace pinhole::platform
