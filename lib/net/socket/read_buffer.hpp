#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/assert.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>

namespace weft::net_detail {

/** The bytes that a connection has received and that are not used yet, in one block that is reused for every read.
 *
 *  It grows only while something that must lie in one piece (a response's head) does not fit.
 */
class read_buffer {
public:
    static constexpr std::size_t first_capacity = 16 * 1024;  // one TLS record
    static constexpr std::size_t room_min = 4 * 1024;

    [[nodiscard]] char* data() const noexcept { return bytes_.get() + begin_; }
    [[nodiscard]] std::size_t size() const noexcept { return end_ - begin_; }

    /** Takes the first bytes out. */
    void consume(std::size_t size) noexcept
    {
        BOOST_ASSERT(size <= this->size());
        begin_ += size;
    }

    /** Free room behind what is there; views into the buffer are invalid afterwards. */
    [[nodiscard]] boost::asio::mutable_buffer prepare()
    {
        if (begin_ == end_) begin_ = end_ = 0;
        if (capacity_ - end_ < room_min) make_room();
        return {bytes_.get() + end_, capacity_ - end_};
    }

    /** Says how much of the room was filled. */
    void commit(std::size_t size) noexcept
    {
        BOOST_ASSERT(size <= capacity_ - end_);
        end_ += size;
    }

private:
    void make_room()
    {
        const std::size_t kept = size();
        if (capacity_ - kept >= room_min) {
            std::memmove(bytes_.get(), data(), kept);
        } else {
            const std::size_t capacity = std::max(first_capacity, capacity_ * 2);
            std::unique_ptr<char[]> larger{new char[capacity]};
            if (kept > 0) std::memcpy(larger.get(), data(), kept);
            bytes_ = std::move(larger);
            capacity_ = capacity;
        }
        begin_ = 0;
        end_ = kept;
    }

    std::unique_ptr<char[]> bytes_;
    std::size_t capacity_ = 0;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
};

}  // namespace weft::net_detail
