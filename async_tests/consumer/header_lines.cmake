# How much the headers of a job give a compiler to read: preprocessed lines in hundredths of those of a source that
# includes <vector>, <string> and <functional>, so that compilers and libraries of other versions compare. Compile
# time follows it closely. A header that passes its limit is looked at with `g++ -H`; see
# docs/decisions/0021-compile-time.md.
cmake_minimum_required(VERSION 3.25)

function(count_lines variable content)
    file(WRITE "${work}/lines.cpp" "${content}")
    execute_process(COMMAND "${compiler}" -std=c++20 -E -P ${flags} "${work}/lines.cpp"
        OUTPUT_VARIABLE text RESULT_VARIABLE result)
    if(NOT result EQUAL 0)
        message(FATAL_ERROR "cannot preprocess: ${content}")
    endif()
    string(REGEX REPLACE "[^\n]+" "" lines "${text}")
    string(LENGTH "${lines}" count)
    set(${variable} ${count} PARENT_SCOPE)
endfunction()

set(nothing "#include <vector>\n#include <string>\n#include <functional>\n")
count_lines(base "${nothing}")
set(failed "")
foreach(limit IN LISTS limits)
    string(REPLACE "=" ";" limit "${limit}")
    list(GET limit 0 header)
    list(GET limit 1 most)
    count_lines(lines "${nothing}#include <weft/${header}.hpp>\n")
    math(EXPR hundredths "${lines} * 100 / ${base}")
    message(STATUS "<weft/${header}.hpp>: ${lines} lines, ${hundredths} hundredths of ${base}; limit ${most}")
    if(hundredths GREATER most)
        list(APPEND failed "${header}")
    endif()
endforeach()
if(failed)
    message(FATAL_ERROR "These headers bring more lines than their limit: ${failed}")
endif()
