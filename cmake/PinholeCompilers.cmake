# What both compilers need to be told.

find_program(PINHOLE_CCACHE ccache)
if(PINHOLE_CCACHE AND PROJECT_IS_TOP_LEVEL)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${PINHOLE_CCACHE}")
  set(CMAKE_CUDA_COMPILER_LAUNCHER "${PINHOLE_CCACHE}")
endif()

if(NOT PINHOLE_CPU_ONLY)
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    # The default of CMake 3.25 is an architecture from 2018. Machine code for Hopper; PTX, which the
    # driver compiles, for everything from Ampere on.
    set(CMAKE_CUDA_ARCHITECTURES "80-virtual;90-real" CACHE STRING "GPU architectures to build for")
  endif()
  include(CheckLanguage)
  check_language(CUDA)
  if(NOT CMAKE_CUDA_COMPILER)
    message(FATAL_ERROR "nvcc was not found. Install the CUDA toolkit (12.8 or newer) and put nvcc on "
                        "PATH, or configure with -DPINHOLE_CPU_ONLY=ON for the CPU device alone.")
  endif()
  enable_language(CUDA)
  if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.8)
    message(FATAL_ERROR "nvcc ${CMAKE_CUDA_COMPILER_VERSION} is too old: CUDA 12.8 or newer is needed.")
  endif()
  find_package(CUDAToolkit REQUIRED)
endif()

set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)

# Not exported: users choose their own warnings.
add_library(pinhole_warnings INTERFACE)
target_compile_options(pinhole_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor
    -Wold-style-cast -Woverloaded-virtual>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>)
if(PINHOLE_WERROR)
  target_compile_options(pinhole_warnings INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Werror>
    $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings -Xcompiler=-Werror>)
endif()
