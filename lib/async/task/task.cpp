#include <weft/async/task.hpp>

namespace weft {

namespace {

constinit thread_local std::ptrdiff_t frames_alive = 0;

}  // namespace

void* async_detail::allocate_frame(std::size_t size)
{
    ++frames_alive;  // before, so that what follows is a jump; off by one after `std::bad_alloc`
    return allocate_block(size);
}

void async_detail::free_frame(void* frame, std::size_t size) noexcept
{
    --frames_alive;
    free_block(frame, size);
}

std::ptrdiff_t live_frames() noexcept { return frames_alive; }

}  // namespace weft
