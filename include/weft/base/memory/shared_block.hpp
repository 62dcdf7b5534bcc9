#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace weft {

namespace base_detail {

/** Room for an object behind what counts its owners, in one block. */
struct room_request {
    std::size_t size;
    void* place = nullptr;  ///< Where the room begins, aligned as by `operator new(std::size_t)`.
};

/** A block of `before` bytes and the room behind them, freed by `operator delete`.
 *  @par Errors  `std::bad_alloc`. */
[[nodiscard]] void* allocate_with_room(std::size_t before, room_request& asked);

// std::allocate_shared knows the size of its own object only. What it asks for is a type of the library's, so that the
// room begins where that ends.
/** An allocator for one `T` and the room that was asked for.
 *
 *  @par Lifetimes   The request lives as long as the allocation takes; what frees does not look at it. */
template <class T>
struct allocator_with_room {
    using value_type = T;

    explicit allocator_with_room(room_request& what) noexcept : asked{&what} {}
    template <class U>
    allocator_with_room(const allocator_with_room<U>& other) noexcept : asked{other.asked}
    {
    }

    /** The place of the room is in the request then. */
    [[nodiscard]] T* allocate(std::size_t count)
    {
        static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
        return static_cast<T*>(allocate_with_room(count * sizeof(T), *asked));
    }
    void deallocate(T* what, std::size_t) noexcept { ::operator delete(what); }

    template <class U>
    friend bool operator==(const allocator_with_room& a, const allocator_with_room<U>& b) noexcept
    {
        return a.asked == b.asked;
    }

    room_request* asked;  // dangles after the allocation
};

/** Owns the object in the room behind it, which is known by its base. */
template <class Base>
struct roomy {
    // Neither copied nor moved: the object lies behind it.
    roomy() noexcept = default;
    roomy(const roomy&) = delete;
    roomy& operator=(const roomy&) = delete;
    ~roomy()
    {
        if (object) object->~Base();
    }

    Base* object = nullptr;  // null until it is made
};

/** Out of the template below, so that it is compiled once for a base. */
template <class Base>
[[nodiscard, gnu::noinline]] std::shared_ptr<roomy<Base>> make_roomy(room_request& asked)
{
    return std::allocate_shared<roomy<Base>>(allocator_with_room<roomy<Base>>{asked});
}

}  // namespace base_detail

/** `std::make_shared<T>` as a pointer to a base of `T`:
 *
 *      std::shared_ptr<const node_body> body = weft::make_shared_as<const node_body, function_node<F>>(function);
 *
 *  As fast, but what counts and frees is compiled once for the base, where `std::make_shared` has fifty functions for
 *  each `T`: for classes of which every lambda makes another one.
 *
 *  @par Errors   What the constructor throws, and `std::bad_alloc`; nothing is lost.
 *  @par Source   `std::allocate_shared` with an allocator that asks for more than its object. */
template <class Base, class T, class... Arguments>
    requires std::derived_from<T, std::remove_const_t<Base>> && std::has_virtual_destructor_v<Base>
[[nodiscard]] std::shared_ptr<Base> make_shared_as(Arguments&&... arguments)
{
    static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__, "blocks are not aligned more than this");
    base_detail::room_request asked{sizeof(T)};
    auto block = base_detail::make_roomy<std::remove_const_t<Base>>(asked);
    block->object = ::new (asked.place) T(std::forward<Arguments>(arguments)...);
    Base* const object = block->object;
    return {std::move(block), object};
}

}  // namespace weft
