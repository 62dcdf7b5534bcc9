# The server with faults, to see that the simulation finds them: copies of its own sources in which a place asks whether
# it is to be wrong. The product has no such questions. A text that is no longer there stops the configuration: then the
# mutant follows the source.
#
# All other sources are those of weft_serve. There each original is an object file of its own, which the linker leaves
# out, since its copy defines the same names first; if it took both, it would refuse them.

set(mutant_folder "${CMAKE_CURRENT_BINARY_DIR}/mutants")
set(mutant_sources "")
set(mutant_names drain_loses_runs)  # a fault of the store that the simulation has itself

# weft_mutant(<name> <file below lib/> <text that stands there once> <text in its place>)
function(weft_mutant name file original mutated)
    set(source "${PROJECT_SOURCE_DIR}/lib/${file}")
    file(READ "${source}" text)
    string(REPLACE "${original}" "" rest "${text}")
    string(LENGTH "${text}" size)
    string(LENGTH "${rest}" size_without)
    string(LENGTH "${original}" size_of_original)
    math(EXPR expected "${size} - ${size_of_original}")
    if(NOT size_without EQUAL expected)
        message(FATAL_ERROR "The mutant '${name}' does not fit ${file} any more: it looks for\n${original}")
    endif()
    string(REPLACE "${original}" "${mutated}" text "${text}")
    cmake_path(GET file PARENT_PATH folder)
    string(REGEX REPLACE "#include \"([^/\"]+)\"" "#include \"${folder}/\\1\"" text "${text}")
    set(text "#include \"serve/simulation/sim_faults.hpp\"\n\n${text}")
    file(CONFIGURE OUTPUT "${mutant_folder}/${file}" CONTENT "${text}" @ONLY)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
    set_source_files_properties("${source}" TARGET_DIRECTORY weft_serve PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    list(APPEND mutant_sources "${mutant_folder}/${file}")
    set(mutant_sources "${mutant_sources}" PARENT_SCOPE)
    set(mutant_names "${mutant_names};${name}" PARENT_SCOPE)
endfunction()

weft_mutant(event_twice_on_replay serve/langgraph/run_routes.cpp
    "follower.seen = id;"
    "follower.seen = server_simulation::has_fault(\"event_twice_on_replay\") ? 0 : id;")
weft_mutant(byte_bound_not_kept serve/order/run_following.cpp
    "return waiting_.size() >= piece_bytes_max;"
    "return waiting_.size() >= piece_bytes_max && !server_simulation::has_fault(\"byte_bound_not_kept\");")
weft_mutant(tenant_check_missing serve/order/runs.cpp
    "found->thread != thread"
    "(server_simulation::has_fault(\"tenant_check_missing\") ? found->thread.thread != thread.thread
                                                                   : found->thread != thread)")
weft_mutant(rollback_keeps_values serve/order/run_orders.cpp
    "if (rolls_back && !body.checkpoint)"
    "if (rolls_back && !body.checkpoint && !server_simulation::has_fault(\"rollback_keeps_values\"))")

add_executable(server_mutants $<TARGET_OBJECTS:simulation_of_server> ${mutant_sources})
weft_own_test(server_mutants)
target_link_libraries(server_mutants PRIVATE weft_testing weft_serve weft_agent weft_net weft_core)
foreach(name IN LISTS mutant_names)
    weft_add_test(simulation.finds_${name} COMMAND server_mutants --fault ${name} --found-within 1000)
endforeach()
