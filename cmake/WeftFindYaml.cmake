# Finds yaml-cpp, which reads YAML graph files, for weft's own build and for find_package(weft).

find_path(WEFT_YAML_INCLUDE_DIR yaml-cpp/eventhandler.h)
find_library(WEFT_YAML_LIBRARY yaml-cpp)
mark_as_advanced(WEFT_YAML_INCLUDE_DIR WEFT_YAML_LIBRARY)
if(NOT WEFT_YAML_INCLUDE_DIR OR NOT WEFT_YAML_LIBRARY)
    message(FATAL_ERROR "weft needs yaml-cpp 0.7 or newer with its headers, and yaml-cpp/eventhandler.h or libyaml-cpp "
        "was not found. On Debian and Ubuntu scripts/install-deps installs it (libyaml-cpp-dev); elsewhere set "
        "CMAKE_PREFIX_PATH to where it is.")
endif()
if(NOT TARGET weft_yaml::yaml)
    add_library(weft_yaml::yaml UNKNOWN IMPORTED)
    set_target_properties(weft_yaml::yaml PROPERTIES
        IMPORTED_LOCATION "${WEFT_YAML_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${WEFT_YAML_INCLUDE_DIR}")
endif()
