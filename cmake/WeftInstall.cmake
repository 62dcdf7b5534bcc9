# cmake --install: headers, libraries and the package that find_package(weft) finds.

include(CMakePackageConfigHelpers)

set(weft_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/weft")

install(TARGETS weft weft_core weft_net weft_stores weft_agent weft_observe weft_drawing weft_testing EXPORT weft)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT weft NAMESPACE weft:: FILE weftTargets.cmake DESTINATION "${weft_package_dir}")

configure_package_config_file(
    "${PROJECT_SOURCE_DIR}/cmake/weftConfig.cmake.in" "${PROJECT_BINARY_DIR}/weftConfig.cmake"
    INSTALL_DESTINATION "${weft_package_dir}"
    NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(
    "${PROJECT_BINARY_DIR}/weftConfigVersion.cmake"
    COMPATIBILITY SameMinorVersion)
install(FILES
    "${PROJECT_BINARY_DIR}/weftConfig.cmake"
    "${PROJECT_BINARY_DIR}/weftConfigVersion.cmake"
    "${PROJECT_SOURCE_DIR}/cmake/WeftCompiler.cmake"
    "${PROJECT_SOURCE_DIR}/cmake/WeftFindBoost.cmake"
    "${PROJECT_SOURCE_DIR}/cmake/WeftFindCares.cmake"
    DESTINATION "${weft_package_dir}")
