#pragma once

#include <weft/graph/state/expression_value.hpp>

#include <boost/json/value.hpp>

#include <cstddef>
#include <string_view>
#include <utility>

namespace weft {

/** Where an evaluation keeps the values that it makes: bounded, empty until the first one, dropped as a whole.
 *
 *  @par Errors   Making anything beyond `bytes_max` fails the evaluation with a MemoryError.
 */
class expression_arena {
public:
    explicit expression_arena(std::size_t bytes_max) noexcept : left_{bytes_max}, bytes_max_{bytes_max} {}
    expression_arena(expression_arena&& other) noexcept
        : chunks_{std::exchange(other.chunks_, nullptr)}, held_{std::exchange(other.held_, nullptr)},
          free_{std::exchange(other.free_, nullptr)}, free_bytes_{std::exchange(other.free_bytes_, 0)},
          left_{other.left_}, bytes_max_{other.bytes_max_}
    {
    }
    expression_arena& operator=(expression_arena&& other) noexcept
    {
        std::swap(chunks_, other.chunks_);
        std::swap(held_, other.held_);
        std::swap(free_, other.free_);
        std::swap(free_bytes_, other.free_bytes_);
        std::swap(left_, other.left_);
        std::swap(bytes_max_, other.bytes_max_);
        return *this;
    }
    ~expression_arena()
    {
        if (chunks_ || held_) drop();
    }

    /** Memory for values without a destructor, aligned for any of them. */
    // Everything here lives until the arena does: nothing is freed by itself.

    [[nodiscard]] void* allocate(std::size_t bytes);
    /** Fails now when so much could not be allocated. */
    void require(std::size_t bytes) const;
    /** A copy of a text. */
    [[nodiscard]] expression_value copy(std::string_view text);
    /** Uninitialised values. */
    [[nodiscard]] expression_value* allocate_values(std::size_t count);

    /** Holds a JSON value and views it.
     *  @param owner   An address by which `find` finds it again: a value that is read twice is converted once. */
    [[nodiscard]] expression_value hold(boost::json::value json, const void* owner = nullptr);
    /** What was held for an owner; null if nothing was. */
    [[nodiscard]] const boost::json::value* find(const void* owner) const noexcept;

private:
    struct chunk;
    struct held;
    void drop() noexcept;

    chunk* chunks_ = nullptr;
    held* held_ = nullptr;
    char* free_ = nullptr;
    std::size_t free_bytes_ = 0;
    std::size_t left_;
    std::size_t bytes_max_;
};

}  // namespace weft
