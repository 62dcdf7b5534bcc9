#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace weft {

/** Reads what a `record_writer` wrote. Nothing that the bytes say is believed before it is checked.
 *
 *  @par Errors       Every function: `errc::store_corrupt` if the bytes cannot be right; names the place and the byte.
 *  @par Lifetimes    The bytes and the name of the place outlive it and the texts that it gives.
 */
class record_reader {
public:
    /** @param place   What is read, for errors: "checkpoint", "tokens". */
    record_reader(std::string_view bytes, std::string_view place) noexcept : bytes_{bytes}, place_{place} {}

    [[nodiscard]] std::uint8_t byte()
    {
        if (at_ == bytes_.size()) refuse("it ends too early");
        return static_cast<std::uint8_t>(bytes_[at_++]);
    }
    [[nodiscard]] std::uint64_t number();
    /** A number of at most `most`. @param what   For the error. */
    [[nodiscard]] std::uint64_t number_up_to(std::uint64_t most, std::string_view what);
    [[nodiscard]] std::uint32_t number32(std::string_view what)
    {
        return static_cast<std::uint32_t>(number_up_to(std::numeric_limits<std::uint32_t>::max(), what));
    }
    [[nodiscard]] std::int64_t signed_number();
    [[nodiscard]] double real();
    [[nodiscard]] std::string_view text();
    [[nodiscard]] std::string_view raw(std::size_t size);
    /** How many items follow, each of which takes at least a byte: so that nothing is made larger than the record. */
    [[nodiscard]] std::size_t count(std::string_view what);

    /** A section of the record. */
    struct section {
        std::uint32_t tag;
        bool is_needed;
        std::string_view bytes;
    };
    /** The next section; nothing at the end. */
    [[nodiscard]] std::optional<section> next_section();

    [[nodiscard]] bool is_at_end() const noexcept { return at_ == bytes_.size(); }
    [[nodiscard]] std::size_t left() const noexcept { return bytes_.size() - at_; }
    /** What has been read since `left()` was `before`. */
    [[nodiscard]] std::string_view read_since(std::size_t before) const noexcept
    {
        return bytes_.substr(bytes_.size() - before, before - left());
    }
    /** Refuses bytes that are left over. */
    void require_end() const;
    [[noreturn]] void refuse(std::string_view why) const;

private:
    std::string_view bytes_;
    std::string_view place_;
    std::size_t at_ = 0;
};

/** The content of a sealed record.
 *
 *  @param place         For errors.
 *  @param version_max   The newest version that the caller reads.
 *
 *  @par Errors
 *    - `errc::store_corrupt`   the sum is wrong: bytes are missing or changed.
 *    - `errc::store_refused`   a newer version is needed; says which. */
[[nodiscard]] std::string_view open_record(std::string_view sealed, std::string_view place, std::uint8_t version_max);

}  // namespace weft
