#include <weft/base/memory/shared_block.hpp>

#include <limits>

namespace weft::base_detail {

namespace {

constexpr std::size_t alignment = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

struct request {
    std::size_t size;
    void* place = nullptr;
};

// std::allocate_shared knows the size of its own object only. What it asks for is a type of the library's, so that the
// room begins where that ends.
template <class T>
struct allocator_with_room {
    using value_type = T;

    explicit allocator_with_room(request& what) noexcept : asked{&what} {}
    template <class U>
    allocator_with_room(const allocator_with_room<U>& other) noexcept : asked{other.asked}
    {
    }

    [[nodiscard]] T* allocate(std::size_t count)
    {
        static_assert(alignof(T) <= alignment);
        const std::size_t before = (count * sizeof(T) + alignment - 1) / alignment * alignment;
        if (asked->size > std::numeric_limits<std::size_t>::max() - before) throw std::bad_array_new_length{};
        void* const block = ::operator new(before + asked->size);
        asked->place = static_cast<std::byte*>(block) + before;
        return static_cast<T*>(block);
    }
    void deallocate(T* what, std::size_t) noexcept { ::operator delete(what); }

    template <class U>
    friend bool operator==(const allocator_with_room& a, const allocator_with_room<U>& b) noexcept
    {
        return a.asked == b.asked;
    }

    request* asked;  // of the time of allocation; what frees does not look at it
};

}  // namespace

struct shared_block::counted {
    counted() noexcept = default;
    counted(const counted&) = delete;
    counted& operator=(const counted&) = delete;
    ~counted()
    {
        if (object) destroy(object);
    }

    void* object = nullptr;
    void (*destroy)(void*) noexcept = nullptr;
};

shared_block::shared_block(std::size_t size)
{
    request what{size};
    counted_ = std::allocate_shared<counted>(allocator_with_room<counted>{what});
    place_ = what.place;
}

std::shared_ptr<void> shared_block::filled(void* object, void (*destroy)(void*) noexcept) && noexcept
{
    counted_->object = object;
    counted_->destroy = destroy;
    return std::move(counted_);
}

}  // namespace weft::base_detail
