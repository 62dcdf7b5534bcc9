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

# Programs with a sanitizer are large, and there are many: lld links them in a fraction of the time.
if(NOT DEFINED WEFT_LINKS_WITH_LLD)
    execute_process(COMMAND "${CMAKE_CXX_COMPILER}" -fuse-ld=lld -Wl,--version
        RESULT_VARIABLE weft_lld_result OUTPUT_QUIET ERROR_QUIET)
    set(WEFT_LINKS_WITH_LLD OFF)
    if(weft_lld_result EQUAL 0)
        set(WEFT_LINKS_WITH_LLD ON)
    endif()
endif()
if(WEFT_LINKS_WITH_LLD)
    set(CMAKE_EXE_LINKER_FLAGS_INIT "-fuse-ld=lld")
endif()
