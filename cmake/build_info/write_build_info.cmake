# Writes OUTPUT, the source of pinhole_build_info.hpp, from the state of the checkout SOURCE_DIR now.
# Run at every build by PinholeVersion.cmake; an unchanged file is left alone, so nothing recompiles.
set(commit "unknown")
set(dirty "true")

find_program(GIT git)
function(ask_git result)
  # The checkout may belong to another user (a container, a mounted folder); reading it is harmless.
  execute_process(COMMAND "${GIT}" -c "safe.directory=${SOURCE_DIR}" --no-optional-locks ${ARGN}
                  WORKING_DIRECTORY "${SOURCE_DIR}" RESULT_VARIABLE failed
                  OUTPUT_VARIABLE answer OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  set(${result} "${answer}" PARENT_SCOPE)
  set(failed "${failed}" PARENT_SCOPE)
endfunction()

if(GIT)
  # A copy that lies inside somebody else's checkout must not take that commit for its own.
  ask_git(top rev-parse --show-toplevel)
  file(REAL_PATH "${SOURCE_DIR}" here)
  if(NOT failed AND top STREQUAL here)
    ask_git(head rev-parse HEAD)
    if(NOT failed)
      set(commit "${head}")
      ask_git(changes status --porcelain --untracked-files=no -- . ":(exclude)results")
      if(NOT failed AND changes STREQUAL "")
        set(dirty "false")
      endif()
    endif()
  endif()
endif()

set(text "#include \"pinhole_build_info.hpp\"

namespace pinhole {
const char* version() noexcept { return \"${VERSION}\"; }
const char* build_commit() noexcept { return \"${commit}\"; }
bool build_is_dirty() noexcept { return ${dirty}; }
}  // namespace pinhole
")
set(before "")
if(EXISTS "${OUTPUT}")
  file(READ "${OUTPUT}" before)
endif()
if(NOT before STREQUAL text)
  file(WRITE "${OUTPUT}" "${text}")
endif()
