#include <weft/graph/expression/expression_arena.hpp>

#include "expression_evaluation.hpp"

#include <weft/base/memory/free_list.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>

namespace weft {

namespace {

constexpr std::size_t alignment = alignof(std::max_align_t);
constexpr std::size_t chunk_bytes = 1024;

}  // namespace

struct expression_arena::chunk {
    chunk* next;
    std::size_t bytes;
};

struct expression_arena::held {
    held* next;
    const void* owner;
    boost::json::value json;
};

void expression_arena::require(std::size_t bytes) const
{
    if (bytes > left_)
        expression_detail::refuse("MemoryError", "the expression makes values of more than " +
                                                     std::to_string(bytes_max_) +
                                                     " bytes: keep its lists and texts small");
}

void* expression_arena::allocate(std::size_t bytes)
{
    require(bytes);
    const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    left_ -= bytes;
    // The first chunk comes with the first value that must be made: comparing and looking up makes none.
    if (rounded > free_bytes_) {
        constexpr std::size_t header = (sizeof(chunk) + alignment - 1) / alignment * alignment;
        const std::size_t size = std::max(header + rounded, chunk_bytes);
        char* const block = static_cast<char*>(allocate_block(size));
        chunks_ = new (block) chunk{chunks_, size};
        free_ = block + header;
        free_bytes_ = size - header;
    }
    free_bytes_ -= rounded;
    return std::exchange(free_, free_ + rounded);
}

expression_value expression_arena::copy(std::string_view text)
{
    if (text.empty()) return expression_value::text({});
    char* const to = static_cast<char*>(allocate(text.size()));
    std::memcpy(to, text.data(), text.size());
    return expression_value::text({to, text.size()});
}

expression_value* expression_arena::allocate_values(std::size_t count)
{
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(expression_value))
        require(std::numeric_limits<std::size_t>::max());
    return static_cast<expression_value*>(allocate(count * sizeof(expression_value)));
}

expression_value expression_arena::hold(boost::json::value json, const void* owner)
{
    held_ = new held{held_, owner, std::move(json)};
    return expression_value::json(held_->json);
}

const boost::json::value* expression_arena::find(const void* owner) const noexcept
{
    // A list: an expression reads a handful of keys.
    for (const held* each = held_; each != nullptr; each = each->next)
        if (each->owner == owner) return &each->json;
    return nullptr;
}

void expression_arena::drop() noexcept
{
    while (chunks_ != nullptr) {
        chunk* const c = std::exchange(chunks_, chunks_->next);
        free_block(c, c->bytes);
    }
    while (held_ != nullptr) delete std::exchange(held_, held_->next);
}

}  // namespace weft
