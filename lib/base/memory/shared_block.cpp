#include <weft/base/memory/shared_block.hpp>

#include <limits>

namespace weft::base_detail {

void* allocate_with_room(std::size_t before, room_request& asked)
{
    constexpr std::size_t alignment = __STDCPP_DEFAULT_NEW_ALIGNMENT__;
    // What is made in the room is aligned as the block is.
    const std::size_t begins = (before + alignment - 1) / alignment * alignment;
    if (asked.size > std::numeric_limits<std::size_t>::max() - begins) throw std::bad_array_new_length{};
    void* const block = ::operator new(begins + asked.size);
    asked.place = static_cast<std::byte*>(block) + begins;
    return block;
}

}  // namespace weft::base_detail
