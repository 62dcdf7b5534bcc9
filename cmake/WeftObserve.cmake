# weft::telemetry: metrics and traces. weft::observe: where events of runs go. A message queue whose client library is
# missing is left out.

set(WEFT_WITH_MQTT AUTO CACHE STRING "MQTT by libmosquitto: AUTO, ON (its absence is an error) or OFF")

set(observe_floors observe/.)
set(observe_libraries "")

if(NOT WEFT_WITH_MQTT STREQUAL "OFF")
    find_path(WEFT_MOSQUITTO_INCLUDE_DIR mosquitto.h)
    find_library(WEFT_MOSQUITTO_LIBRARY mosquitto)
    mark_as_advanced(WEFT_MOSQUITTO_INCLUDE_DIR WEFT_MOSQUITTO_LIBRARY)
    if(WEFT_MOSQUITTO_INCLUDE_DIR AND WEFT_MOSQUITTO_LIBRARY)
        set(WEFT_HAS_MQTT ON)
        list(APPEND observe_floors observe/mqtt)
        list(APPEND observe_libraries "${WEFT_MOSQUITTO_LIBRARY}")
    elseif(WEFT_WITH_MQTT STREQUAL "ON")
        message(FATAL_ERROR "WEFT_WITH_MQTT is ON and libmosquitto was not found. Debian: libmosquitto-dev")
    endif()
endif()

find_path(WEFT_PROTOZERO_INCLUDE_DIR protozero/pbf_writer.hpp)
mark_as_advanced(WEFT_PROTOZERO_INCLUDE_DIR)
if(NOT WEFT_PROTOZERO_INCLUDE_DIR)
    message(FATAL_ERROR "weft needs protozero 1.7 or newer, a library of headers, and protozero/pbf_writer.hpp was not "
        "found. On Debian and Ubuntu scripts/install-deps installs it (libprotozero-dev); elsewhere set "
        "CMAKE_PREFIX_PATH to where it is.")
endif()
weft_add_library(telemetry FLOORS observe/metric observe/trace observe/otlp observe/telemetry)
target_link_libraries(weft_telemetry PUBLIC weft_net weft_core)
target_include_directories(weft_telemetry SYSTEM PRIVATE "${WEFT_PROTOZERO_INCLUDE_DIR}")

weft_add_library(observe FLOORS ${observe_floors})
target_link_libraries(weft_observe
    PUBLIC weft_telemetry weft_stores_redis weft_net weft_core PRIVATE ${observe_libraries})
if(WEFT_HAS_MQTT)
    target_compile_definitions(weft_observe PUBLIC WEFT_HAS_MQTT)
    target_include_directories(weft_observe PRIVATE "${WEFT_MOSQUITTO_INCLUDE_DIR}")
endif()
