# Finds c-ares, which looks host names up, for weft's own build and for find_package(weft).

find_path(WEFT_CARES_INCLUDE_DIR ares.h)
find_library(WEFT_CARES_LIBRARY cares)
mark_as_advanced(WEFT_CARES_INCLUDE_DIR WEFT_CARES_LIBRARY)
if(NOT WEFT_CARES_INCLUDE_DIR OR NOT WEFT_CARES_LIBRARY)
    message(FATAL_ERROR "weft needs c-ares 1.18 or newer with its headers, and ares.h or libcares was not found. "
        "On Debian and Ubuntu scripts/install-deps installs it (libc-ares-dev); elsewhere set CMAKE_PREFIX_PATH to "
        "where it is.")
endif()
if(NOT TARGET weft_cares::cares)
    add_library(weft_cares::cares UNKNOWN IMPORTED)
    set_target_properties(weft_cares::cares PROPERTIES
        IMPORTED_LOCATION "${WEFT_CARES_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${WEFT_CARES_INCLUDE_DIR}")
endif()
