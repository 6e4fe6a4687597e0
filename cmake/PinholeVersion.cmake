# Compiles the version and the commit into pinhole_build_info, for programs that report them.
set(build_info_source "${PROJECT_BINARY_DIR}/build_info/pinhole_build_info.cpp")

# Asked at every build, not once at configure time: commits come and go without a reconfigure.
add_custom_target(pinhole_write_build_info
  COMMAND "${CMAKE_COMMAND}" "-DSOURCE_DIR=${PROJECT_SOURCE_DIR}" "-DOUTPUT=${build_info_source}"
          "-DVERSION=${PROJECT_VERSION}" -P "${PROJECT_SOURCE_DIR}/cmake/build_info/write_build_info.cmake"
  BYPRODUCTS "${build_info_source}"
  COMMENT "Reading the commit" VERBATIM)

add_library(pinhole_build_info STATIC EXCLUDE_FROM_ALL "${build_info_source}")
add_dependencies(pinhole_build_info pinhole_write_build_info)
target_compile_features(pinhole_build_info PUBLIC cxx_std_20)
target_include_directories(pinhole_build_info PUBLIC "${PROJECT_SOURCE_DIR}/cmake/build_info")
