#include <weft/base/memory/record_writer.hpp>

#include <boost/assert.hpp>

#include <algorithm>
#include <bit>
#include <cstring>

namespace weft {

namespace {

/** In the order of bytes that is the same on every machine: the lowest first. */
template <class Number>
void append_fixed(std::string& to, Number value)
{
    for (std::size_t i = 0; i < sizeof value; ++i) to.push_back(static_cast<char>(value >> (8 * i)));
}

std::uint64_t word_at(const char* from, std::size_t size) noexcept
{
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < size; ++i)
        word |= std::uint64_t{static_cast<unsigned char>(from[i])} << (8 * i);
    return word;
}

std::uint64_t next_word(const char* from) noexcept
{
    if constexpr (std::endian::native == std::endian::little) {
        std::uint64_t word;
        std::memcpy(&word, from, sizeof word);
        return word;
    } else {
        return word_at(from, sizeof(std::uint64_t));
    }
}

}  // namespace

void record_writer::real(double value)
{
    std::string bytes;
    append_fixed(bytes, std::bit_cast<std::uint64_t>(value));
    raw(bytes);
}

void record_writer::grow(std::size_t bytes)
{
    // What the string has room for already comes first: short records stay within it.
    const std::size_t wanted = size_ + bytes;
    const std::size_t there = bytes_.capacity();
    bytes_.resize(wanted <= there ? there : std::max(wanted, 2 * there));
}

record_writer::section record_writer::begin(std::uint32_t tag, bool is_needed)
{
    number(std::uint64_t{tag} << 1 | (is_needed ? 1 : 0));
    byte(0);  // the length, if it is short
    return {size_};
}

void record_writer::end(section open)
{
    BOOST_ASSERT(open.begins <= size_);
    const std::uint64_t length = size_ - open.begins;
    if (length < 0x80) {
        bytes_[open.begins - 1] = static_cast<char>(length);
        return;
    }
    record_writer long_length;
    long_length.number(length);
    const std::size_t more = long_length.size() - 1;  // than the byte that was left for it
    char* const content = room(more) - length;
    std::memmove(content + more, content, length);
    std::memcpy(content - 1, long_length.bytes().data(), long_length.size());
    size_ += more;
}

std::uint32_t checksum_of(std::string_view bytes) noexcept
{
    // Each step is a bijection of the sum and of the word, so that no single change is lost.
    std::uint64_t sum = 0x9e37'79b9'7f4a'7c15u ^ bytes.size();
    const auto add = [&sum](std::uint64_t word) {
        sum = (sum ^ word) * 0xff51'afd7'ed55'8ccdu;
        sum ^= sum >> 32;
    };
    while (bytes.size() >= sizeof(std::uint64_t)) {
        add(next_word(bytes.data()));
        bytes.remove_prefix(sizeof(std::uint64_t));
    }
    add(word_at(bytes.data(), bytes.size()));
    add(0);
    return static_cast<std::uint32_t>(sum);
}

std::string seal_record(std::string_view content, std::uint8_t version)
{
    std::string result;
    result.reserve(content.size() + 5);
    result.push_back(static_cast<char>(version));
    result.append(content);
    append_fixed(result, checksum_of(result));
    return result;
}

}  // namespace weft
