# What `cmake --install` puts where: headers, library, tool, CMake package, pages, completion.
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/pinhole")
configure_package_config_file(cmake/pinholeConfig.cmake.in pinholeConfig.cmake
  INSTALL_DESTINATION "${package_dir}")
# 0.x: a minor version may change interfaces.
write_basic_package_version_file(pinholeConfigVersion.cmake COMPATIBILITY SameMinorVersion)

install(DIRECTORY include/pinhole DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.cuh")
install(TARGETS pinhole EXPORT pinholeTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(EXPORT pinholeTargets NAMESPACE pinhole:: DESTINATION "${package_dir}")
install(FILES "${PROJECT_BINARY_DIR}/pinholeConfig.cmake"
              "${PROJECT_BINARY_DIR}/pinholeConfigVersion.cmake" cmake/PinholeFunctors.cmake
        DESTINATION "${package_dir}")
if(PINHOLE_TOOL)
  install(TARGETS pinhole_tool RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
  install(FILES tools/completion/pinhole.bash RENAME pinhole
          DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
endif()
install(FILES README.md CHANGELOG.md LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY docs/ DESTINATION "${CMAKE_INSTALL_DOCDIR}" FILES_MATCHING PATTERN "*.md")
