#pragma once

#include "printed_errc.hpp"

#include <weft/async/task.hpp>
#include <weft/base/error.hpp>

#include <exception>
#include <optional>
#include <utility>

namespace async_tests {

/** How a task ended: nothing, or the code of its error. */
template <class T>
weft::task<std::optional<weft::errc>> error_of(weft::task<T> work)
{
    std::exception_ptr error;
    try {
        co_await std::move(work);
    } catch (...) {
        error = std::current_exception();
    }
    if (!error) co_return std::nullopt;
    co_return weft::code_of(error);
}

/** Counts how many of it are alive, to see what is destroyed and when. */
class tracked {
public:
    explicit tracked(int& alive) noexcept : alive_{&alive} { ++*alive_; }
    tracked(const tracked& other) noexcept : alive_{other.alive_} { ++*alive_; }
    tracked& operator=(const tracked&) = delete;
    ~tracked() { --*alive_; }

private:
    int* alive_;
};

}  // namespace async_tests
