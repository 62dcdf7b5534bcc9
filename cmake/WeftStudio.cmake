# The files of the studio's page as a C++ source, so that the program needs no folder beside it.
# In a project it adds that source to weft_serve; as a script (cmake -P) it writes the source:
#     cmake -D "page=<folder>" -D "output=<source>" -P WeftStudio.cmake

if(NOT CMAKE_SCRIPT_MODE_FILE)
    set(weft_studio_source "${PROJECT_BINARY_DIR}/studio_files.cpp")
    set(weft_studio_page "${PROJECT_SOURCE_DIR}/lib/serve/studio/page")
    file(GLOB weft_studio_files CONFIGURE_DEPENDS "${weft_studio_page}/*")
    add_custom_command(OUTPUT "${weft_studio_source}"
        COMMAND ${CMAKE_COMMAND} -D "page=${weft_studio_page}" -D "output=${weft_studio_source}"
            -P "${CMAKE_CURRENT_LIST_FILE}"
        DEPENDS ${weft_studio_files} "${CMAKE_CURRENT_LIST_FILE}"
        VERBATIM)
    # As a target of its own without dependencies: a file that only weft_serve makes would wait for all libraries below.
    add_custom_target(weft_studio_page DEPENDS "${weft_studio_source}")
    add_dependencies(weft_serve weft_studio_page)
    target_sources(weft_serve PRIVATE "${weft_studio_source}")
    # A change of the page compiles this file only.
    set_source_files_properties("${weft_studio_source}" PROPERTIES
        SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
    return()
endif()

set(type_html "text/html; charset=utf-8")
set(type_css "text/css; charset=utf-8")
set(type_mjs "text/javascript; charset=utf-8")
set(type_svg "image/svg+xml")
set(type_txt "text/plain; charset=utf-8")

file(GLOB files RELATIVE "${page}" "${page}/*")
list(SORT files)
set(rows "")
set(source "#include \"serve/studio/studio_files.hpp\"\n\nnamespace weft::serve_detail {\n\nnamespace {\n\n")
string(APPEND source "constexpr studio_file files[]{\n")
foreach(name IN LISTS files)
    cmake_path(GET name EXTENSION LAST_ONLY ending)
    string(SUBSTRING "${ending}" 1 -1 ending)
    if(NOT DEFINED type_${ending})
        message(FATAL_ERROR "${name}: add its type to cmake/WeftStudio.cmake")
    endif()
    file(READ "${page}/${name}" text)
    # The parts of others stand in the tree as they were published; a browser finds other modules by their file only.
    string(REPLACE "from\"preact\"" "from\"./preact.mjs\"" text "${text}")
    string(REGEX REPLACE "\n//# sourceMappingURL=[^\n]*" "" text "${text}")
    if(ending STREQUAL "mjs" OR ending STREQUAL "css")  # a fifth of them is for people who read the sources
        string(REGEX REPLACE "\n +" "\n" text "\n${text}")
        string(REGEX REPLACE "\n// [^\n]*" "" text "${text}")
        string(REGEX REPLACE "\n/\\*([^*]|\\*[^/])*\\*/" "" text "${text}")
        string(REGEX REPLACE "^\n" "" text "${text}")
    endif()
    if(ending STREQUAL "css")
        string(REGEX REPLACE " *([{};,]) *" "\\1" text "${text}")
        string(REPLACE ": " ":" text "${text}")
    endif()
    string(SHA256 digest "${text}")
    string(SUBSTRING "${digest}" 0 20 digest)
    string(APPEND source "    {\"${name}\", \"${type_${ending}}\", \"W/\\\"${digest}\\\"\",\n     R\"studio(")
    string(APPEND source "${text}" ")studio\"},\n")
endforeach()
string(APPEND source "};\n\n}  // namespace\n\n")
string(APPEND source "std::span<const studio_file> studio_files() noexcept { return files; }\n\n")
string(APPEND source "}  // namespace weft::serve_detail\n")
file(WRITE "${output}" "${source}")
