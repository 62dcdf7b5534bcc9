#pragma once

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <atomic>
#include <cstdint>
#include <utility>

namespace weft {

/** A shared pointer whose count lives in the object; one word, and made again from a plain
 *  pointer. */
template <class T>
using intrusive_ptr = boost::intrusive_ptr<T>;

/** Base of what an `intrusive_ptr` can own: an atomic count that starts at zero and deletes at
 *  zero.
 *
 *  `Derived` is the type that is deleted: give it a virtual destructor when it is itself a base. A
 *  copy of the object starts its own count.
 *
 *  @par Thread safety   The count: from any OS thread. The object: as its own type says.
 */
template <class Derived>
class ref_counted {
public:
    /** How many owners there are; only a hint while other OS threads hold some. When it is one, what earlier owners did
     *  with the object is done. */
    [[nodiscard]] std::uint32_t use_count() const noexcept { return count_.load(std::memory_order_acquire); }

protected:
    ref_counted() noexcept = default;
    ref_counted(const ref_counted&) noexcept {}
    ref_counted& operator=(const ref_counted&) noexcept { return *this; }
    ~ref_counted() = default;

private:
    /** Says that the object has its first owner, before any other OS thread can know of it. */
    friend void intrusive_ptr_own_first(const ref_counted* object) noexcept
    {
        object->count_.store(1, std::memory_order_relaxed);
    }

    friend void intrusive_ptr_add_ref(const ref_counted* object) noexcept
    {
        object->count_.fetch_add(1, std::memory_order_relaxed);
    }

    // Release publishes this owner's writes; acquire lets the last owner see those of all others.
    friend void intrusive_ptr_release(const ref_counted* object) noexcept
    {
        // No other owner can come beside the only one, which then need not subtract: to look costs less.
        if (object->count_.load(std::memory_order_acquire) == 1 ||
            object->count_.fetch_sub(1, std::memory_order_acq_rel) == 1)
            delete static_cast<const Derived*>(object);
    }

    mutable std::atomic<std::uint32_t> count_{0};
};

/** Makes a `T` on the heap, owned by the pointer that is returned. */
template <class T, class... Args>
[[nodiscard]] intrusive_ptr<T> make_counted(Args&&... args)
{
    T* const made = new T(std::forward<Args>(args)...);
    intrusive_ptr_own_first(made);
    return intrusive_ptr<T>{made, false};
}

}  // namespace weft
