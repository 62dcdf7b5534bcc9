#pragma once

#include <weft/base/chrono.hpp>
#include <weft/base/clock.hpp>
#include <weft/base/random.hpp>

#include <array>
#include <atomic>
#include <bit>
#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace weft {

/** 128 bits that are unique in the world, and whose order is that in which they were made (to the
 *  millisecond between machines, exactly within one `id_source`); both as bytes and as text.
 *
 *  @par Source   RFC 9562, UUID version 7
 */
struct unique_id {
    std::array<std::uint8_t, 16> bytes{};

    /** The usual 36 characters, e.g. `"01890a5d-ac96-774b-bcce-b302099a8057"`. */
    [[nodiscard]] std::string text() const;

    /** Reads what `text` wrote, in upper or lower case; nothing when it is something else. */
    [[nodiscard]] static std::optional<unique_id> parse(std::string_view text) noexcept;

    /** Whether it is the id of nothing, all zero. No source makes it. */
    [[nodiscard]] bool is_nil() const noexcept
    {
        const auto halves = std::bit_cast<std::array<std::uint64_t, 2>>(bytes);
        return (halves[0] | halves[1]) == 0;
    }

    friend bool operator==(const unique_id&, const unique_id&) noexcept = default;
    friend auto operator<=>(const unique_id&, const unique_id&) noexcept = default;
};

/** A unique id of one kind of thing, which does not mix with ids of other things. Nil until one is
 *  assigned. */
template <class Tag>
class typed_id {
public:
    constexpr typed_id() noexcept = default;
    constexpr explicit typed_id(const unique_id& value) noexcept : value_{value} {}

    /** The id without its kind, as stores keep it. */
    [[nodiscard]] const unique_id& value() const noexcept { return value_; }
    [[nodiscard]] bool is_nil() const noexcept { return value_.is_nil(); }
    [[nodiscard]] std::string text() const { return value_.text(); }

    /** As `unique_id::parse`; of which kind the id was, its text does not say. */
    [[nodiscard]] static std::optional<typed_id> parse(std::string_view text) noexcept
    {
        const std::optional<unique_id> value = unique_id::parse(text);
        return value ? std::optional{typed_id{*value}} : std::nullopt;
    }

    friend bool operator==(const typed_id&, const typed_id&) noexcept = default;
    friend auto operator<=>(const typed_id&, const typed_id&) noexcept = default;

private:
    unique_id value_;
};

/** A run, from its start to its end, in whatever process it goes on. */
using run_id = typed_id<struct run_id_tag>;
/** A checkpoint of a thread. */
using checkpoint_id = typed_id<struct checkpoint_id_tag>;

/** Makes unique ids from a clock and random numbers; each is greater than the one before, even when
 *  the time of day goes back.
 *
 *  @par Thread safety   `next` from any OS thread.
 *  @par Lifetimes       The clock and the random source must outlive it.
 */
class id_source {
public:
    id_source(const clock& time, random_source& random) noexcept : time_{time}, random_{random} {}

    /** Greater than all that it gave before. */
    [[nodiscard]] unique_id next() noexcept;

    /** The same as an id of one kind. */
    template <class Id>
    [[nodiscard]] Id next() noexcept
    {
        return Id{next()};
    }

private:
    const clock& time_;
    random_source& random_;
    // Milliseconds since 1970 in the upper 48 bits, a counter in the lower 16.
    std::atomic<std::uint64_t> last_{0};
};

/** As `id_source`, without its atomic operations and with one look at the time of day a second; in between the steady
 *  clock tells how much later it is.
 *
 *  @par Thread safety   None.
 */
class local_id_source {
public:
    /** @param now  By the steady clock of `time`. */
    [[nodiscard]] unique_id next(const clock& time, time_point now, random_source& random) noexcept;

private:
    void read_time_of_day(const clock& time, time_point now) noexcept;

    time_point read_at_{};
    std::chrono::nanoseconds day_then_{-1};  // since 1970, at `read_at_`
    std::uint64_t last_ = 0;                 // as of `id_source`
};

}  // namespace weft

template <>
struct std::hash<weft::unique_id> {
    std::size_t operator()(const weft::unique_id& id) const noexcept
    {
        // All bytes: the first ones are the time, which ids of one moment share.
        const auto* text = reinterpret_cast<const char*>(id.bytes.data());
        return std::hash<std::string_view>{}({text, id.bytes.size()});
    }
};

template <class Tag>
struct std::hash<weft::typed_id<Tag>> {
    std::size_t operator()(const weft::typed_id<Tag>& id) const noexcept
    {
        return std::hash<weft::unique_id>{}(id.value());
    }
};
