# Functions that make weft's own targets alike.

# How many sources are compiled as one. Headers are read and templates instantiated once for all of them: 80 take a
# seventh less time than twice 40, but 2 GB instead of 1.5, and leave less to do side by side.
cmake_host_system_information(RESULT WEFT_MEMORY QUERY TOTAL_PHYSICAL_MEMORY)  # MiB
cmake_host_system_information(RESULT WEFT_PROCESSORS QUERY NUMBER_OF_LOGICAL_CORES)
if(WEFT_MEMORY GREATER 12000)
    set(WEFT_HAS_MUCH_MEMORY ON)
    set(WEFT_UNITY_BATCH 40)
    if(WEFT_PROCESSORS LESS 5)
        set(WEFT_UNITY_BATCH 80)
    endif()
else()
    set(WEFT_HAS_MUCH_MEMORY OFF)
    set(WEFT_UNITY_BATCH 16)
endif()

# Warnings for our own code; never for code that includes our headers.
function(weft_own target)
    target_compile_features(${target} PUBLIC cxx_std_20)
    set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic $<$<BOOL:${WEFT_WERROR}>:-Werror>)
    # g++ 12 to 14 misjudge what their optimiser makes of std::string and std::optional (GCC bugs 105329, 105562,
    # 105651), each version in other places.
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        target_compile_options(${target} PRIVATE
            -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread -Wno-maybe-uninitialized)
        # std::move and std::forward cost no call, not even without optimisation.
        target_compile_options(${target} PRIVATE -ffold-simple-inlines)
    endif()
    if(WEFT_UNITY)
        set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${WEFT_UNITY_BATCH})
        # g++ takes a source that another one includes for a header, in which local types would be a mistake.
        target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
        # With much memory g++ collects its garbage seldom: a tenth less time for 300 MB more.
        if(WEFT_HAS_MUCH_MEMORY)
            target_compile_options(${target} PRIVATE
                "$<$<CXX_COMPILER_ID:GNU>:SHELL:--param ggc-min-expand=300 --param ggc-min-heapsize=1000000>")
        endif()
    endif()
endfunction()

# For a target that does little itself, but compiles much: the second half of the optimiser is a third of its time.
function(weft_optimise_lightly target)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# Includes what weft_core, the first target, has precompiled.
function(weft_precompile target)
    if(NOT WEFT_PCH)
        return()
    elseif(target STREQUAL "weft_core")
        target_precompile_headers(${target} PRIVATE "${PROJECT_SOURCE_DIR}/cmake/pch_lib.hpp")
    else()
        target_precompile_headers(${target} REUSE_FROM weft_core)
    endif()
endfunction()

# Sources below a folder: those of its root, if `floor` has no slash, and of its rooms; `floor/room` is one room.
function(weft_sources_of variable root floor pattern)
    set(folders "${floor}")
    if(NOT floor MATCHES "/")
        list(TRANSFORM WEFT_ROOMS_${floor} PREPEND "${floor}/" OUTPUT_VARIABLE rooms)
        list(REMOVE_ITEM rooms "${floor}/.")
        list(APPEND folders ${rooms})
    endif()
    set(sources "")
    foreach(folder IN LISTS folders)
        file(GLOB found CONFIGURE_DEPENDS "${root}/${folder}/${pattern}")
        list(APPEND sources ${found})
    endforeach()
    list(REMOVE_DUPLICATES sources)
    set(${variable} ${sources} PARENT_SCOPE)
endfunction()

# For targets that include internal headers as "<floor>/<room>/<name>.hpp".
function(weft_see_internals target)
    target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/lib")
endfunction()

# One static library weft_<name>, alias weft::<name>, of the sources of its floors or rooms (`floor/room`).
function(weft_add_library name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FLOORS")
    set(sources "")
    foreach(floor IN LISTS arg_FLOORS)
        weft_sources_of(found "${PROJECT_SOURCE_DIR}/lib" ${floor} "*.cpp")
        list(APPEND sources ${found})
    endforeach()
    if(NOT sources)
        set(sources "${PROJECT_BINARY_DIR}/weft_${name}_empty.cpp")
        file(WRITE "${sources}" "")
    endif()
    add_library(weft_${name} STATIC ${sources})
    add_library(weft::${name} ALIAS weft_${name})
    set_target_properties(weft_${name} PROPERTIES EXPORT_NAME ${name})
    weft_own(weft_${name})
    weft_see_internals(weft_${name})
    target_include_directories(weft_${name} PUBLIC
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    weft_precompile(weft_${name})
endfunction()

# Every CTest test gets these: a bound on its time, and what the sanitizers should do.
set(WEFT_TEST_TIMEOUT 300)  # those of PostgreSQL take a minute, and more where the disk is slow
set(WEFT_TEST_ENVIRONMENT "")
if(WEFT_SANITIZE)
    set(WEFT_TEST_TIMEOUT 600)  # of a whole suite
    find_program(WEFT_SYMBOLIZER NAMES llvm-symbolizer-19 llvm-symbolizer)
    set(symbolizer "")
    if(WEFT_SYMBOLIZER)
        set(symbolizer ":external_symbolizer_path=${WEFT_SYMBOLIZER}")
    endif()
    set(tsan_suppressions "${PROJECT_SOURCE_DIR}/cmake/tsan.supp")
    set(WEFT_TEST_ENVIRONMENT
        "ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1${symbolizer}"
        "UBSAN_OPTIONS=print_stacktrace=1${symbolizer}"
        "TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1:suppressions=${tsan_suppressions}${symbolizer}")
endif()

# A CTest test that runs a command.
function(weft_add_test name)
    add_test(NAME ${name} ${ARGN})
    set_tests_properties(${name} PROPERTIES
        TIMEOUT ${WEFT_TEST_TIMEOUT}
        ENVIRONMENT "${WEFT_TEST_ENVIRONMENT}")
endfunction()
