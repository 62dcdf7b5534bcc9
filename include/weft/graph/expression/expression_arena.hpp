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
        : chunks_{std::exchange(other.chunks_, nullptr)}, kept_{std::exchange(other.kept_, nullptr)},
          free_{std::exchange(other.free_, nullptr)}, free_bytes_{std::exchange(other.free_bytes_, 0)},
          left_{other.left_}, bytes_max_{other.bytes_max_}
    {
    }
    expression_arena& operator=(expression_arena&& other) noexcept
    {
        std::swap(chunks_, other.chunks_);
        std::swap(kept_, other.kept_);
        std::swap(free_, other.free_);
        std::swap(free_bytes_, other.free_bytes_);
        std::swap(left_, other.left_);
        std::swap(bytes_max_, other.bytes_max_);
        return *this;
    }
    ~expression_arena()
    {
        if (chunks_ || kept_) drop();
    }

    /** Memory for values without a destructor, aligned for any of them. */
    [[nodiscard]] void* allocate(std::size_t bytes);
    /** Fails now when so much could not be allocated. */
    void require(std::size_t bytes) const;
    /** A copy of a text. */
    [[nodiscard]] expression_value copy(std::string_view text);
    /** Uninitialised values. */
    [[nodiscard]] expression_value* allocate_values(std::size_t count);

    /** Keeps a JSON value and views it. What was made for the same `owner` (an address) before is found by
     *  `find_kept`. */
    [[nodiscard]] expression_value keep(boost::json::value json, const void* owner = nullptr);
    [[nodiscard]] const boost::json::value* find_kept(const void* owner) const noexcept;

private:
    struct chunk;
    struct kept;
    void drop() noexcept;

    chunk* chunks_ = nullptr;
    kept* kept_ = nullptr;
    char* free_ = nullptr;
    std::size_t free_bytes_ = 0;
    std::size_t left_;
    std::size_t bytes_max_;
};

}  // namespace weft
