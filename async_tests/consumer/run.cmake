# Installs weft into a prefix of its own, and uses it as strangers do: by find_package with all of it and with
# components, by pkg-config, by add_subdirectory and by FetchContent.

function(run)
    execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT RESULT_VARIABLE result)
    if(NOT result EQUAL 0)
        message(FATAL_ERROR "failed: ${result}")
    endif()
endfunction()

# refused(<part of the message> <command>…)
function(refused reason)
    execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT RESULT_VARIABLE result ERROR_VARIABLE errors)
    string(REGEX REPLACE "[ \n]+" " " errors "${errors}")
    string(FIND "${errors}" "${reason}" at)
    if(result EQUAL 0 OR at EQUAL -1)
        message(FATAL_ERROR "it should have been refused because '${reason}', and ended with ${result}: ${errors}")
    endif()
endfunction()

set(here "${CMAKE_CURRENT_LIST_DIR}")
set(configure "${CMAKE_COMMAND}" -G Ninja
    -D "CMAKE_PREFIX_PATH=${work}/prefix"
    -D "Boost_DIR=${boost}"
    -D CMAKE_BUILD_TYPE=Debug)

file(REMOVE_RECURSE "${work}")
run("${CMAKE_COMMAND}" --install "${weft_build}" --prefix "${work}/prefix")
foreach(file share/doc/weft/COMPILERS.md share/doc/weft/graph.schema.json)
    if(NOT EXISTS "${work}/prefix/${file}")
        message(FATAL_ERROR "${file} is not installed")
    endif()
endforeach()

run(${configure} -S "${here}" -B "${work}/build" -D "CMAKE_CXX_COMPILER=${compiler}")
run("${CMAKE_COMMAND}" --build "${work}/build")
run("${work}/build/everything")
run("${work}/build/core_only")

# Components.
if(EXISTS "${work}/prefix/include/weft/store/sqlite_store.hpp" AND has_sqlite)
    set(components ${configure} -S "${here}/components" -B "${work}/components")
    run(${components} -D "CMAKE_CXX_COMPILER=${compiler}")
    run("${CMAKE_COMMAND}" --build "${work}/components")
    run("${work}/components/sqlite_only")
    refused("weft has no component 'sqlight'" ${configure} -S "${here}/components" -B "${work}/misspelt"
        -D "CMAKE_CXX_COMPILER=${compiler}" -D component=sqlight)
endif()
foreach(other g++ g++-13 clang++-19 clang++)
    find_program(path_${other} ${other})
    if(path_${other})
        execute_process(COMMAND "${path_${other}}" --version OUTPUT_VARIABLE version)
        string(FIND "${version}" "clang" is_clang)
        set(other_id GNU)
        if(NOT is_clang EQUAL -1)
            set(other_id Clang)
        endif()
        if(NOT other_id STREQUAL compiler_id)
            refused("they would not link" ${configure} -S "${here}" -B "${work}/foreign_compiler"
                -D "CMAKE_CXX_COMPILER=${path_${other}}")
            break()
        endif()
    endif()
endforeach()

# pkg-config, with the Boost that compilers find by themselves.
find_program(pkg_config pkg-config)
file(GLOB_RECURSE package "${work}/prefix/*/weft-sqlite.pc")
if(pkg_config AND package AND boost MATCHES "^/usr/lib")
    cmake_path(GET package PARENT_PATH packages)
    set(ENV{PKG_CONFIG_PATH} "${packages}")
    execute_process(COMMAND "${pkg_config}" --cflags --libs weft-sqlite
        OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    separate_arguments(flags UNIX_COMMAND "${flags}")
    run("${compiler}" "${here}/components/sqlite_only.cpp" ${flags} -o "${work}/by_pkg_config")
    run("${work}/by_pkg_config")
endif()

# As a part of another program: weft itself was compiled once, so that here one source of the program is.
file(COPY "${here}/embedded/CMakeLists.txt" "${here}/core_only.cpp" DESTINATION "${work}/embedded")
foreach(by_fetch OFF ON)
    set(build "${work}/embedded/build_${by_fetch}")
    run(${configure} -S "${work}/embedded" -B "${build}" -D "WEFT_SOURCE=${here}/../.."
        -D "EMBEDDED_BY_FETCH=${by_fetch}" -D "CMAKE_CXX_COMPILER=${compiler}")
    run("${CMAKE_COMMAND}" --build "${build}" --target CMakeFiles/program.dir/core_only.cpp.o)
endforeach()
