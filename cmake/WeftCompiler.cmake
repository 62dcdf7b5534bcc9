# Which compilers can be trusted with coroutines. Included by weft's own build and by find_package(weft).

set(weft_compiler "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
        message(FATAL_ERROR "weft needs g++ 13 or newer (g++ 12 is tolerated) or clang 17 or newer, and this is "
            "${weft_compiler}. Configure with CXX=g++-13 or CXX=clang++-19.")
    elseif(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13 AND NOT weft_FIND_QUIETLY)
        message(WARNING "g++ 12 destroys some temporaries inside a co_await expression twice: the program crashes or "
            "corrupts its heap, without a warning at compile time. weft avoids these forms; code of yours that awaits "
            "must avoid them too. The forms are listed in COMPILERS.md, in docs/ or share/doc/weft. The "
            "remedy: another compiler for weft and for your program, for example CXX=clang++-19.")
    endif()
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    if(CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 16 AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 17)
        message(FATAL_ERROR "clang 16 keeps the address of a thread_local across a suspension: coroutines that move "
            "between OS threads crash. weft cannot be built with it. Configure with CXX=clang++-19 (17 or newer).")
    elseif(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 17)
        message(FATAL_ERROR "weft needs clang 17 or newer, and this is ${weft_compiler}. Configure with "
            "CXX=clang++-19.")
    endif()
elseif(NOT weft_FIND_QUIETLY)
    message(WARNING "weft is tested with g++ and clang only, and this is ${weft_compiler}.")
endif()
