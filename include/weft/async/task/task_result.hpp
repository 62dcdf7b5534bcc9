#pragma once

#include <weft/base/memory/free_list.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace weft::async_detail {

/** The result of a task, from its `co_return` until it is taken.
 *
 *  A large one has a place of its own, which is made when it is there: frames that wait keep no room for it.
 */
template <class T>
class task_result {
public:
    /** Makes the result. What only turns into one, by a conversion of its own, does so in the place itself: nothing is
     *  moved. */
    template <class U>
    void emplace(U&& value)
    {
        if constexpr (is_large)
            made_.reset(new place{std::forward<U>(value)});
        else
            made_.emplace(std::forward<U>(value));
    }
    /** The result; once it was made, and as long as this is there. */
    [[nodiscard]] T& get() noexcept
    {
        if constexpr (is_large)
            return made_->value;
        else
            return *made_;
    }

private:
    /** Beyond this many bytes what a waiting frame saves is worth a block. */
    static constexpr bool is_large = sizeof(T) > 128;
    /** A result in a block from the free lists. */
    struct place {
        static void* operator new(std::size_t size) { return allocate_block(size); }
        static void operator delete(void* memory, std::size_t size) noexcept { free_block(memory, size); }

        T value;
    };

    std::conditional_t<is_large, std::unique_ptr<place>, std::optional<T>> made_;
};

}  // namespace weft::async_detail
