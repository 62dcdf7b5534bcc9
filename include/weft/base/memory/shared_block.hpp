#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace weft {

namespace base_detail {

/** A block with room for one object and for the counts of the pointers that share it, in one allocation. */
class shared_block {
public:
    /** @param size  Of the object, in bytes.
     *  @par Errors  `std::bad_alloc`. */
    explicit shared_block(std::size_t size);

    /** Where the object is made, aligned as by `operator new(std::size_t)`. */
    [[nodiscard]] void* place() const noexcept { return place_; }
    /** The block becomes a pointer to the object that was made at `place`, and `destroy` ends it with the last copy. */
    [[nodiscard]] std::shared_ptr<void> filled(void* object, void (*destroy)(void*) noexcept) && noexcept;

private:
    struct counted;
    std::shared_ptr<counted> counted_;
    void* place_;
};

/** Out of the template below, so that it is compiled once for a base. */
template <class Base>
[[nodiscard]] std::shared_ptr<Base> share_as(shared_block block, Base* object)
{
    using plain = std::remove_const_t<Base>;
    std::shared_ptr<void> owner = std::move(block).filled(
        const_cast<plain*>(object), [](void* what) noexcept { static_cast<plain*>(what)->~plain(); });
    return {std::move(owner), object};
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
    base_detail::shared_block block{sizeof(T)};
    Base* object = ::new (block.place()) T(std::forward<Arguments>(arguments)...);
    return base_detail::share_as<Base>(std::move(block), object);
}

}  // namespace weft
