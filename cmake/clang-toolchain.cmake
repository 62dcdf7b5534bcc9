# Chooses clang for the sanitizer presets: the version that CI tests with first. CXX from the environment wins.

if(DEFINED ENV{CXX})
    set(CMAKE_CXX_COMPILER "$ENV{CXX}")
else()
    find_program(WEFT_CLANG NAMES clang++-19 clang++-20 clang++-21 clang++-18 clang++-17 clang++)
    if(NOT WEFT_CLANG)
        message(FATAL_ERROR "This preset builds with clang, and there is none. Run scripts/install-deps --tools, "
            "or set CXX to a compiler with sanitizers.")
    endif()
    set(CMAKE_CXX_COMPILER "${WEFT_CLANG}")
endif()
