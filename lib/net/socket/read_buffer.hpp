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
 *  It grows while something that must lie in one piece (a response's head) does not fit, and while reads fill it; it
 *  shrinks again when they bring little. So a stream that waits for its next words holds little.
 */
class read_buffer {
public:
    /** @param first_capacity   Of the first block.
     *  @param room_min         What a read has room for at least.
     *  @param room_max         The same behind a read that was full: one TLS record. */
    explicit read_buffer(std::size_t first_capacity = 1024, std::size_t room_min = 1024,
                         std::size_t room_max = 16 * 1024) noexcept
        : first_capacity_{first_capacity}, room_min_{room_min}, room_max_{room_max}
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
    [[nodiscard]] boost::asio::mutable_buffer prepare()
    {
        if (was_filled_) return prepare(room_max_);
        if (read_last_ < first_capacity_) shrink(first_capacity_);
        return prepare(room_min_);
    }
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

    /** Whether the last read filled its room, so that there may be more. */
    [[nodiscard]] bool was_filled() const noexcept { return was_filled_; }
    /** Says how much of the room was filled. */
    void commit(std::size_t size) noexcept
    {
        BOOST_ASSERT(size <= capacity_ - end_);
        was_filled_ = size == capacity_ - end_;
        read_last_ = size;
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
    std::size_t room_max_;
    std::size_t read_last_ = 0;
    bool was_filled_ = false;
    std::unique_ptr<char[]> bytes_;
    std::size_t capacity_ = 0;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
};

}  // namespace weft::net_detail
