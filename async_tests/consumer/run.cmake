# Installs weft into a prefix of its own, then configures, builds and runs the stranger's project against it.

function(run)
    execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT RESULT_VARIABLE result)
    if(NOT result EQUAL 0)
        message(FATAL_ERROR "failed: ${result}")
    endif()
endfunction()

file(REMOVE_RECURSE "${work}")
run("${CMAKE_COMMAND}" --install "${weft_build}" --prefix "${work}/prefix")
run("${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}" -B "${work}/build" -G Ninja
    -D "CMAKE_PREFIX_PATH=${work}/prefix"
    -D "Boost_DIR=${boost}"
    -D "CMAKE_CXX_COMPILER=${compiler}"
    -D CMAKE_BUILD_TYPE=Debug)
run("${CMAKE_COMMAND}" --build "${work}/build")
run("${work}/build/everything")
run("${work}/build/core_only")
