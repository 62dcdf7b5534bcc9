# What keeps runs outside the process: a library for each kind of store, so that a program links the client libraries of
# those that it uses; weft::stores is all of them. A store whose client library is missing is left out.

set(WEFT_WITH_SQLITE AUTO CACHE STRING "SQLite: AUTO, ON (its absence is an error) or OFF")
set(WEFT_WITH_POSTGRES AUTO CACHE STRING "PostgreSQL: AUTO, ON (its absence is an error) or OFF")

add_library(weft_stores INTERFACE)
add_library(weft::stores ALIAS weft_stores)
set_target_properties(weft_stores PROPERTIES EXPORT_NAME stores)
set(weft_store_targets weft_stores)

# weft_add_store(<name> FLOORS <folders of lib> LIBRARIES <client libraries>): weft::stores_<name>, a part of
# weft::stores.
function(weft_add_store name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FLOORS;LIBRARIES")
    weft_add_library(stores_${name} FLOORS ${arg_FLOORS})
    target_link_libraries(weft_stores_${name} PUBLIC weft_core PRIVATE ${arg_LIBRARIES})
    target_link_libraries(weft_stores INTERFACE weft_stores_${name})
    set(weft_store_targets ${weft_store_targets} weft_stores_${name} PARENT_SCOPE)
endfunction()

weft_add_store(redis FLOORS store/redis LIBRARIES OpenSSL::SSL)
weft_add_store(sealed FLOORS store/sealed LIBRARIES OpenSSL::SSL)
# Their headers include those of weft::net.
target_link_libraries(weft_stores_redis PUBLIC weft_net)
target_link_libraries(weft_stores_sealed PUBLIC weft_net)

if(NOT WEFT_WITH_SQLITE STREQUAL "OFF")
    find_package(SQLite3 3.37)
    if(SQLite3_FOUND)
        weft_add_store(sqlite FLOORS store/sqlite/sql store/sqlite LIBRARIES SQLite::SQLite3)
        target_compile_definitions(weft_stores_sqlite PUBLIC WEFT_HAS_SQLITE)
    elseif(WEFT_WITH_SQLITE STREQUAL "ON")
        message(FATAL_ERROR "WEFT_WITH_SQLITE is ON and SQLite 3.37 was not found. Debian: libsqlite3-dev")
    endif()
endif()

if(NOT WEFT_WITH_POSTGRES STREQUAL "OFF")
    find_package(PostgreSQL 14)
    if(PostgreSQL_FOUND)
        # Names are looked up by weft::net: libpq and Asio would block an OS thread for that.
        weft_add_store(postgres FLOORS store/postgres/sql store/postgres/wire store/postgres
            LIBRARIES PostgreSQL::PostgreSQL weft_net)
        target_compile_definitions(weft_stores_postgres PUBLIC WEFT_HAS_POSTGRES)
    elseif(WEFT_WITH_POSTGRES STREQUAL "ON")
        message(FATAL_ERROR "WEFT_WITH_POSTGRES is ON and libpq 14 was not found. Debian: libpq-dev")
    endif()
endif()
