# How a GoogleTest program becomes tests of ctest.
include_guard()
include(GoogleTest)
find_package(GTest REQUIRED)

# pinhole_add_test(NAME SOURCES file... [LIBRARIES target...] [LABELS label...] [GPU] [SERIAL]
#   [MANY])
#
# Every TEST in the sources becomes one ctest test of its own, NAME/Suite.Name. Files that end in .cu
# are compiled as C++ in a CPU-only build, so they may hold functors but no kernels. A test that this
# machine cannot run says GTEST_SKIP() << "waived: <reason>"; scripts/test lists the reasons.
# GPU: uses a GPU where there is one; such tests run one at a time. SERIAL: measures time, so nothing
# else may run beside it.
function(pinhole_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "GPU;SERIAL;MANY" "" "SOURCES;LIBRARIES;LABELS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "pinhole_add_test(${name}): expected SOURCES, got '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  set(functors ${arg_SOURCES})
  list(FILTER functors INCLUDE REGEX "\\.cu$")
  if(functors)
    pinhole_functor_sources(${functors})
  endif()

  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} pinhole::pinhole pinhole_warnings
                                        GTest::gtest GTest::gtest_main)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src)

  set(properties TIMEOUT 300)
  if(arg_GPU)
    list(APPEND arg_LABELS gpu)
    list(APPEND properties RESOURCE_LOCK gpu)
  endif()
  if(arg_SERIAL)
    list(APPEND properties RUN_SERIAL TRUE)
  endif()
  if(arg_LABELS)
    list(APPEND properties LABELS "${arg_LABELS}")
  endif()
  # MANY: a sanitizer takes longer to start a process than for most tests in it, so they share a few.
  if(arg_MANY AND CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    set(parts 4)
    foreach(part RANGE 1 ${parts})
      math(EXPR index "${part} - 1")
      add_test(NAME ${name}/part_${part} COMMAND ${name} --gtest_brief=1)
      set_tests_properties(${name}/part_${part} PROPERTIES ${properties} TIMEOUT 1500
        ENVIRONMENT "GTEST_TOTAL_SHARDS=${parts};GTEST_SHARD_INDEX=${index}")
    endforeach()
    return()
  endif()
  # PRE_TEST: a program that cannot even list its tests fails the tests, not the build.
  gtest_discover_tests(${name} TEST_PREFIX "${name}/" DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 120
                       PROPERTIES ${properties})
endfunction()

# pinhole_add_script_test(NAME script.cmake [-Dname=value...]): a test that is a CMake script.
function(pinhole_add_script_test name script)
  add_test(NAME ${name} COMMAND "${CMAKE_COMMAND}" ${ARGN} -P "${CMAKE_CURRENT_SOURCE_DIR}/${script}")
  set_tests_properties(${name} PROPERTIES TIMEOUT 900)  # they compile
endfunction()

# pinhole_waive_test(NAME reason): stands for a test that this build cannot have.
function(pinhole_waive_test name reason)
  add_test(NAME ${name} COMMAND "${CMAKE_COMMAND}" -E echo "waived: ${reason}")
  set_tests_properties(${name} PROPERTIES SKIP_REGULAR_EXPRESSION "^waived: ")
endfunction()
