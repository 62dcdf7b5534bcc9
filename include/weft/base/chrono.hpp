#pragma once

// Durations, time points, clocks and their literals, without the calendars, time zones and texts of `<chrono>`, which
// bring streams and locales along: a source with <weft/weft.hpp> compiles in two thirds of the time with g++ 14. Of
// libstdc++ this is the part that `<mutex>` and `<condition_variable>` include; elsewhere it is all of `<chrono>`.

#include <version>

#if defined(__GLIBCXX__) && __has_include(<bits/chrono.h>)
#include <bits/chrono.h>
#else
#include <chrono>
#endif
