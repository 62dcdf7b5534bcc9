#pragma once

#include <compare>
#include <cstddef>
#include <iterator>

namespace weft::schema_detail {

/** Thrown when a search has used up its steps. */
struct too_much_work {};

/** A place in a text that counts what a matcher looks at, and ends a search that looks at too much. */
class counted_position {
public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = wchar_t;
    using difference_type = std::ptrdiff_t;
    using pointer = const wchar_t*;
    using reference = const wchar_t&;

    counted_position() noexcept = default;
    counted_position(const wchar_t* at, std::size_t* steps) noexcept : at_{at}, steps_{steps} {}

    reference operator*() const
    {
        if (*steps_ == 0) throw too_much_work{};
        --*steps_;
        return *at_;
    }
    reference operator[](difference_type by) const { return *(*this + by); }
    counted_position& operator++() noexcept { return ++at_, *this; }
    counted_position& operator--() noexcept { return --at_, *this; }
    counted_position operator++(int) noexcept { return {at_++, steps_}; }
    counted_position operator--(int) noexcept { return {at_--, steps_}; }
    counted_position& operator+=(difference_type by) noexcept { return at_ += by, *this; }
    counted_position& operator-=(difference_type by) noexcept { return at_ -= by, *this; }
    friend counted_position operator+(counted_position from, difference_type by) noexcept { return from += by; }
    friend counted_position operator-(counted_position from, difference_type by) noexcept { return from -= by; }
    friend difference_type operator-(const counted_position& a, const counted_position& b) noexcept
    {
        return a.at_ - b.at_;
    }
    friend bool operator==(const counted_position& a, const counted_position& b) noexcept { return a.at_ == b.at_; }
    friend auto operator<=>(const counted_position& a, const counted_position& b) noexcept { return a.at_ <=> b.at_; }

private:
    const wchar_t* at_ = nullptr;
    std::size_t* steps_ = nullptr;
};

}  // namespace weft::schema_detail
