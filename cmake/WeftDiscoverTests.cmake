# Makes every Boost.Test case of a program its own CTest test, `<prefix>.<suite>.<case>`, by asking the program itself
# after it was linked. Every suite is one test instead under a sanitizer, whose programs start slowly, and where
# BY_SUITE says so: for cases that share what takes long to make; so do those that have a server of PostgreSQL. Included
# by the build it defines weft_discover_tests; run by `cmake -P` it writes the list.

if(NOT CMAKE_SCRIPT_MODE_FILE)
    set(weft_discover_script "${CMAKE_CURRENT_LIST_FILE}")

    # weft_discover_tests(<target> <prefix> [BY_SUITE])
    function(weft_discover_tests target prefix)
        cmake_parse_arguments(PARSE_ARGV 2 arg "BY_SUITE" "" "")
        set(cases "${CMAKE_CURRENT_BINARY_DIR}/${target}.cases.cmake")
        set(guard "${CMAKE_CURRENT_BINARY_DIR}/${target}.ctest.cmake")
        set(arguments "--color_output=no")
        set(by_suite ${arg_BY_SUITE})
        if(by_suite)
            set(WEFT_TEST_TIMEOUT 600)
        endif()
        if(WEFT_SANITIZE)
            set(by_suite ON)
            list(APPEND arguments "--catch_system_errors=no") # the sanitizer's report of a crash is the better one
        endif()
        add_custom_command(TARGET ${target} POST_BUILD
            BYPRODUCTS "${cases}"
            COMMAND "${CMAKE_COMMAND}"
                -D "program=$<TARGET_FILE:${target}>"
                -D "arguments=${arguments}"
                -D "prefix=${prefix}"
                -D "by_suite=${by_suite}"
                -D "timeout=${WEFT_TEST_TIMEOUT}"
                -D "environment=${WEFT_TEST_ENVIRONMENT}"
                -D "cases=${cases}"
                -P "${weft_discover_script}"
            VERBATIM)
        file(WRITE "${guard}"
            "if(EXISTS \"${cases}\")\n"
            "    include(\"${cases}\")\n"
            "else()\n"
            "    add_test(${prefix}.is_not_built ${target}.is_not_built)\n"
            "endif()\n")
        set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${guard}")
    endfunction()

    return()
endif()

# The outline of a program: four spaces a level, a name, `*` when enabled, `: description` when there is one.
execute_process(COMMAND "${program}" --list_content=HRF
    OUTPUT_VARIABLE output ERROR_VARIABLE outline RESULT_VARIABLE result)
if(NOT result EQUAL 0)
    message(FATAL_ERROR "${program} --list_content=HRF failed (${result}):\n${output}${outline}")
endif()
if(outline MATCHES "[][;]")
    message(FATAL_ERROR "A test of ${program} has one of [ ] ; in its name, which a CMake list cannot carry.")
endif()

# A line is a case, not a suite, when the line after it is not deeper. An empty line closes the last one. The samples of
# a data-driven case (_0, _1, …) run together, as one test.
string(REGEX MATCHALL "[^\n]+" lines "${outline}")
list(FILTER lines EXCLUDE REGEX "^ +_[0-9]+[* ]")
if(by_suite)
    list(FILTER lines EXCLUDE REGEX "^ ")
endif()
# One server of PostgreSQL for a suite; not for those of which some cases are skipped alone, or take a minute.
set(sharing "^(postgres_(store|search|failures|connection|migration|news|engine|wake_up)|queue_claims)_test[*: ]")
set(shares FALSE)
set(kept "")
foreach(line IN LISTS lines)
    if(NOT line MATCHES "^ ")
        string(REGEX MATCH "${sharing}" shares "${line}")
    endif()
    if(NOT shares OR NOT line MATCHES "^ ")
        list(APPEND kept "${line}")
    endif()
endforeach()
set(lines "${kept}")
set(path "")
set(script "")
foreach(line IN LISTS lines ITEMS "")
    string(REGEX REPLACE "[^ ].*" "" indent "${line}")
    string(LENGTH "${indent}" depth)
    math(EXPR depth "${depth} / 4")
    list(LENGTH path open)
    if(depth LESS open)
        list(JOIN path "/" filter)
        list(JOIN path "." name)
        # What several cases say together is no word about one of them.
        set(skipped "")
        if(NOT by_suite)
            set(skipped " SKIP_REGULAR_EXPRESSION [==[(^|\n)skipped: ]==]")
        endif()
        set(seconds ${timeout})
        if("${name} " MATCHES "${sharing}")
            set(seconds 300)
        endif()
        string(APPEND script
            "add_test([==[${prefix}.${name}]==] [==[${program}]==] [==[--run_test=${filter}]==] ${arguments})\n"
            "set_tests_properties([==[${prefix}.${name}]==] PROPERTIES TIMEOUT ${seconds} LABELS ${prefix}"
            " DISABLED ${disabled}${skipped} ENVIRONMENT [==[${environment}]==])\n")
    endif()
    list(SUBLIST path 0 ${depth} path)
    if(line MATCHES "^ *([^*:]*[^*: ])(\\*| )(: .*)?$")
        list(APPEND path "${CMAKE_MATCH_1}")
        set(disabled TRUE)
        if(CMAKE_MATCH_2 STREQUAL "*")
            set(disabled FALSE)
        endif()
    elseif(line)
        message(FATAL_ERROR "cannot read this line of ${program} --list_content=HRF: '${line}'")
    endif()
endforeach()
if(NOT script)
    message(FATAL_ERROR "${program} has no test.")
endif()
file(WRITE "${cases}" "${script}")
