# Finds Howard Hinnant's date library, which reads the time zones of the system, for weft's own build and for
# find_package(weft): the standard library of g++ has them from version 14 on.

find_path(WEFT_DATE_INCLUDE_DIR date/tz.h)
find_library(WEFT_DATE_LIBRARY date-tz)
mark_as_advanced(WEFT_DATE_INCLUDE_DIR WEFT_DATE_LIBRARY)
if(NOT WEFT_DATE_INCLUDE_DIR OR NOT WEFT_DATE_LIBRARY)
    message(FATAL_ERROR "weft needs the date library 3.0 or newer with its headers, and date/tz.h or libdate-tz was "
        "not found. On Debian and Ubuntu scripts/install-deps installs it (libhowardhinnant-date-dev); elsewhere set "
        "CMAKE_PREFIX_PATH to where it is.")
endif()
if(NOT TARGET weft_date::tz)
    add_library(weft_date::tz UNKNOWN IMPORTED)
    set_target_properties(weft_date::tz PROPERTIES
        IMPORTED_LOCATION "${WEFT_DATE_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${WEFT_DATE_INCLUDE_DIR}"
        INTERFACE_COMPILE_DEFINITIONS "USE_OS_TZDB=1")
endif()
