# Finds Boost for weft's own build and for find_package(weft): the configuration that Boost installs first, then the
# module of CMake for Boosts without one. WEFT_BOOST_COMPONENTS may name more components before the include.

set(weft_boost_components json ${WEFT_BOOST_COMPONENTS})
find_package(Boost 1.81 QUIET CONFIG COMPONENTS ${weft_boost_components})
if(NOT Boost_FOUND AND CMAKE_VERSION VERSION_LESS 3.30)
    find_package(Boost 1.81 QUIET MODULE COMPONENTS ${weft_boost_components})
endif()
if(NOT Boost_FOUND)
    list(JOIN weft_boost_components ", " weft_boost_list)
    message(FATAL_ERROR "weft needs Boost 1.81 or newer with its headers and: ${weft_boost_list}. "
        "On Debian and Ubuntu scripts/install-deps installs it; elsewhere set CMAKE_PREFIX_PATH to a Boost.")
endif()
