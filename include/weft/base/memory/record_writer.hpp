#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace weft {

/** Writes a record: compact bytes that are read again by programs of other versions and machines.
 *
 *      record_writer to;
 *      to.text(name);
 *      const record_writer::section visits = to.begin(3);
 *      to.number(count);
 *      to.end(visits);
 *      store(seal_record(to.bytes(), 1));
 *
 *  Numbers take a byte for each 7 bits, signed ones in zigzag, reals 8 bytes; texts have their length before them.
 *  Parts that may be missing or new are sections with a tag, so that a reader finds those that it knows.
 *
 *  @par Thread safety   As a value.
 *  @par Source          LEB128 as in DWARF 5, section 7.6, without sign.
 */
class record_writer {
public:
    /** A section that is open. */
    struct section {
        std::size_t begins;
    };

    /** An empty record, without memory of its own as long as it is short. */
    record_writer() = default;
    /** The same record again, which goes on by itself. */
    record_writer(const record_writer&) = default;
    /** What was moved from is empty and may begin another record. */
    record_writer(record_writer&& other) noexcept
        : bytes_{std::move(other.bytes_)}, size_{std::exchange(other.size_, 0)}
    {
    }
    record_writer& operator=(record_writer other) noexcept
    {
        std::swap(bytes_, other.bytes_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~record_writer() = default;

    /** For a record whose size is about known. */
    void reserve(std::size_t size)
    {
        if (size > bytes_.size()) grow(size - size_);
    }
    /** What has a place of its own: versions, kinds, flags. */
    void byte(std::uint8_t value)
    {
        *room(1) = static_cast<char>(value);
        ++size_;
    }
    /** One byte for each 7 bits, the lowest first. */
    void number(std::uint64_t value)
    {
        char* to = room(number_max);
        char* const begin = to;
        for (; value >= 0x80; value >>= 7) *to++ = static_cast<char>(value | 0x80);
        *to++ = static_cast<char>(value);
        size_ += static_cast<std::size_t>(to - begin);
    }
    /** In zigzag: small numbers are short, whatever their sign. */
    void signed_number(std::int64_t value)
    {
        number(static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63));
    }
    /** All 8 bytes, the lowest first, so that it reads back as the same number on every machine. Exact: also of what
     *  decimals cannot say, such as the sign of a zero. */
    void real(double value);
    /** Any bytes, with their number in front: those of a `std::string` that a reader gives back as they are, with zeros
     *  in them or with no text at all. */
    void text(std::string_view value)
    {
        number(value.size());
        raw(value);
    }
    /** Bytes whose number the reader knows. */
    void raw(std::string_view value)
    {
        if (value.empty()) return;
        std::memcpy(room(value.size()), value.data(), value.size());
        size_ += value.size();
    }

    /** Sections nest; they end in the opposite order.
     *  @param is_needed   Whether a reader that does not know the tag must refuse the record. */
    [[nodiscard]] section begin(std::uint32_t tag, bool is_needed = true);
    /** Writes the length of the section in front of it. */
    void end(section open);

    /** Bytes so far, those of open sections too. */
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    /** What is written; valid until more is. */
    [[nodiscard]] std::string_view bytes() const noexcept { return {bytes_.data(), size_}; }
    /** The record; the writer is empty and may begin another one. */
    [[nodiscard]] std::string take() noexcept
    {
        bytes_.resize(std::exchange(size_, 0));  // never longer
        return std::exchange(bytes_, {});
    }

private:
    static constexpr std::size_t number_max = 10;  // bytes of 64 bits, 7 in each

    /** Where that many bytes more can be written. Valid until the next call; the caller counts them in `size_`, so that
     *  a number, whose length is known behind it, asks once. */
    [[nodiscard]] char* room(std::size_t bytes)
    {
        if (bytes_.size() - size_ < bytes) grow(bytes);
        return bytes_.data() + size_;
    }
    /** Makes room for so many bytes more, and for about as many as there are. */
    void grow(std::size_t bytes);

    std::string bytes_;  // written up to `size_`: most of what is written takes less time than an append of a string
    std::size_t size_ = 0;
};

/** Closes a record: puts the version in front that a reader must know, and a sum behind that tells damage. */
[[nodiscard]] std::string seal_record(std::string_view content, std::uint8_t version);

/** The sum of `seal_record`: any change of up to 8 bytes in a row changes it with a probability of 1 - 2^-32. */
[[nodiscard]] std::uint32_t checksum_of(std::string_view bytes) noexcept;

}  // namespace weft
