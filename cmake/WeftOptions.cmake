# What a builder can choose. Parts that only weft's own developers need are off when weft is a subproject.

option(WEFT_BUILD_CLI "Build the program weft; needs CLI11" ${PROJECT_IS_TOP_LEVEL})
option(WEFT_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(WEFT_BUILD_SAMPLES "Build the samples" ${PROJECT_IS_TOP_LEVEL})
option(WEFT_BUILD_BENCHMARKS "Build the benchmarks" ${PROJECT_IS_TOP_LEVEL})
option(WEFT_WERROR "Make warnings errors" OFF)
option(WEFT_PCH "Precompile the headers that most sources include" ON)
option(WEFT_UNITY "Compile several sources at once: a clean build takes half the time, one after a change longer" OFF)
option(WEFT_FUZZ "Build the fuzz targets for libFuzzer (clang)" OFF)
set(WEFT_WITH_GRAPHVIZ AUTO CACHE STRING "Lay out SVG with Graphviz's library: ON, OFF, or AUTO (if it is there)")
set(WEFT_SANITIZE "" CACHE STRING "Sanitizers to build with: address;undefined or thread")

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

foreach(sanitizer IN LISTS WEFT_SANITIZE)
    if(NOT sanitizer MATCHES "^(address|undefined|thread|leak)$")
        message(FATAL_ERROR "WEFT_SANITIZE=${WEFT_SANITIZE}: '${sanitizer}' is not one of address, undefined, "
            "thread, leak. Use -DWEFT_SANITIZE='address;undefined' or -DWEFT_SANITIZE=thread.")
    endif()
endforeach()

# Sanitizers and fuzzing change every object file, ours and those of the tests, so they are set for the directory.
if(WEFT_SANITIZE)
    string(REPLACE ";" "," sanitizers "${WEFT_SANITIZE}")
    add_compile_options(-fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${sanitizers})
    # These checks stand at every use of a pointer: a quarter of the time to compile for what AddressSanitizer sees
    # (a null pointer that is used) or what x86 does not mind (alignment).
    if("undefined" IN_LIST WEFT_SANITIZE AND "address" IN_LIST WEFT_SANITIZE)
        add_compile_options(-fno-sanitize=null,alignment,vptr,object-size)
    endif()
endif()
if(WEFT_FUZZ)
    if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
        message(FATAL_ERROR "WEFT_FUZZ needs clang (libFuzzer). Configure with CXX=clang++-19, or leave WEFT_FUZZ "
            "off: the fuzz targets are then replayed with random inputs by the tests.")
    endif()
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()
