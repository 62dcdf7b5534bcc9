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
    /** @param first_capacity   Of the first block: one TLS record.
     *  @param room_min         What a read has room for at least. */
    explicit read_buffer(std::size_t first_capacity = 16 * 1024, std::size_t room_min = 4 * 1024) noexcept
        : first_capacity_{first_capacity}, room_min_{room_min}
    {
    }

    [[nodiscard]] char* data() const noexcept { return bytes_.get() + begin_; }
    [[nodiscard]] std::size_t size() const noexcept { return end_ - begin_; }

    /** Takes the first bytes out. */
    void consume(std::size_t size) noexcept
    {
        BOOST_ASSERT(size <= this->size());
        begin_ += size;
    }

    /** Free room behind what is there; views into the buffer are invalid afterwards. */
    [[nodiscard]] boost::asio::mutable_buffer prepare() { return prepare(room_min_); }
    /** The same, of at least `room` bytes. */
    [[nodiscard]] boost::asio::mutable_buffer prepare(std::size_t room)
    {
        if (begin_ == end_) begin_ = end_ = 0;
        if (capacity_ - end_ < room) make_room(room);
        return {bytes_.get() + end_, capacity_ - end_};
    }

    /** Gives the block back if nothing is in it and it is larger than `capacity_max`. */
    void shrink(std::size_t capacity_max) noexcept
    {
        if (begin_ != end_ || capacity_ <= capacity_max) return;
        bytes_.reset();
        begin_ = end_ = capacity_ = 0;
    }

    /** Says how much of the room was filled. */
    void commit(std::size_t size) noexcept
    {
        BOOST_ASSERT(size <= capacity_ - end_);
        end_ += size;
    }

private:
    void make_room(std::size_t room)
    {
        const std::size_t kept = size();
        if (capacity_ - kept >= room) {
            std::memmove(bytes_.get(), data(), kept);
        } else {
            const std::size_t capacity = std::max({first_capacity_, capacity_ * 2, kept + room});
            std::unique_ptr<char[]> larger{new char[capacity]};
            if (kept > 0) std::memcpy(larger.get(), data(), kept);
            bytes_ = std::move(larger);
            capacity_ = capacity;
        }
        begin_ = 0;
        end_ = kept;
    }

    std::size_t first_capacity_;
    std::size_t room_min_;
    std::unique_ptr<char[]> bytes_;
    std::size_t capacity_ = 0;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
};

}  // namespace weft::net_detail
