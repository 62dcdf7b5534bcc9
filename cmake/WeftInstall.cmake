# cmake --install: headers, libraries and the package that find_package(weft) finds.

include(CMakePackageConfigHelpers)

set(weft_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/weft")

install(TARGETS
    weft weft_core weft_net ${weft_store_targets} weft_agent weft_facade weft_serve weft_telemetry weft_observe
    weft_drawing weft_testing
    EXPORT weft)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT weft NAMESPACE weft:: FILE weftTargets.cmake DESTINATION "${weft_package_dir}")

set(weft_component_names weft core net agent facade serve telemetry observe drawing testing ${weft_store_targets})
list(TRANSFORM weft_component_names REPLACE "^weft_" "")
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
    "${PROJECT_SOURCE_DIR}/cmake/WeftFindDate.cmake"
    "${PROJECT_SOURCE_DIR}/cmake/WeftFindYaml.cmake"
    DESTINATION "${weft_package_dir}")

# pkg-config: weft.pc, and a file for each database, so that a program names those that it uses.
set(weft_packages weft)
if(TARGET weft_stores_sqlite)
    list(APPEND weft_packages weft-sqlite)
endif()
if(TARGET weft_stores_postgres)
    list(APPEND weft_packages weft-postgres)
endif()
file(RELATIVE_PATH weft_package_to_prefix "/p/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/p")
foreach(package IN LISTS weft_packages)
    configure_file("${PROJECT_SOURCE_DIR}/cmake/${package}.pc.in" "${PROJECT_BINARY_DIR}/${package}.pc" @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/${package}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endforeach()

install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs/" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
