# Graphviz's library, which lays out SVG. Only weft_drawing links it; without it, to_svg says how to get it.

set(weft_graphviz OFF)
if(NOT WEFT_WITH_GRAPHVIZ STREQUAL "OFF")
    find_path(WEFT_GRAPHVIZ_INCLUDE graphviz/gvc.h)
    find_library(WEFT_GRAPHVIZ_GVC gvc)
    find_library(WEFT_GRAPHVIZ_CGRAPH cgraph)
    mark_as_advanced(WEFT_GRAPHVIZ_INCLUDE WEFT_GRAPHVIZ_GVC WEFT_GRAPHVIZ_CGRAPH)
    if(WEFT_GRAPHVIZ_INCLUDE AND WEFT_GRAPHVIZ_GVC AND WEFT_GRAPHVIZ_CGRAPH)
        set(weft_graphviz ON)
    elseif(NOT WEFT_WITH_GRAPHVIZ STREQUAL "AUTO")
        message(FATAL_ERROR "WEFT_WITH_GRAPHVIZ=${WEFT_WITH_GRAPHVIZ}, and graphviz/gvc.h, libgvc or libcgraph is "
            "not there. Install libgraphviz-dev, or configure with -DWEFT_WITH_GRAPHVIZ=OFF.")
    endif()
endif()
if(weft_graphviz)
    target_compile_definitions(weft_drawing PRIVATE WEFT_WITH_GRAPHVIZ)
    target_include_directories(weft_drawing SYSTEM PRIVATE "${WEFT_GRAPHVIZ_INCLUDE}")
    # By name, not by path, so that an installed weft can be moved.
    cmake_path(GET WEFT_GRAPHVIZ_GVC PARENT_PATH weft_graphviz_dir)
    target_link_directories(weft_drawing PRIVATE $<BUILD_INTERFACE:${weft_graphviz_dir}>)
    target_link_libraries(weft_drawing PRIVATE gvc cgraph)
endif()
