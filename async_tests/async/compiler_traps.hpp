#pragma once

#include "lifetimes.hpp"

#include <weft/async/task.hpp>
#include <weft/async/task/yield_now.hpp>

#include <string>
#include <utility>

/** Coroutines that suspend, for the tests of docs/COMPILERS.md. */
namespace async_tests {

using weft::task;

struct pair_of_residents {
    resident left;
    resident right;
};

inline task<std::string> name_of(resident who)
{
    co_await weft::yield_now();
    co_return who.name();
}

inline task<resident> make(lifetimes& where, std::string name)
{
    co_await weft::yield_now();
    co_return resident{where, std::move(name)};
}

inline task<int> number(int value)
{
    co_await weft::yield_now();
    co_return value;
}

inline task<bool> answer(resident who, bool value)
{
    co_await weft::yield_now();
    co_return value && !who.name().empty();
}

template <class Function>
inline task<std::string> call(Function function)
{
    co_await weft::yield_now();
    co_return function();
}

}  // namespace async_tests
