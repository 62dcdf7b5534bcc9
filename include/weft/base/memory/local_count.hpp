#pragma once

#include <weft/base/memory/intrusive_ptr.hpp>

#include <cstdint>

namespace weft {

/** As `ref_counted`, of an object whose owners are all on one loop: nothing waits for the memory of other processors
 *  where it is counted.
 *
 *      struct run_core : locally_counted<run_core> { … };
 *
 *  `Derived` is the type that is deleted, as there. It cannot be copied.
 *
 *  @par Thread safety   None: on one OS thread at a time.
 */
template <class Derived>
class locally_counted {
protected:
    locally_counted() noexcept = default;
    locally_counted(const locally_counted&) = delete;
    locally_counted& operator=(const locally_counted&) = delete;
    ~locally_counted() = default;

private:
    friend void intrusive_ptr_own_first(const locally_counted* object) noexcept { object->count_ = 1; }
    friend void intrusive_ptr_add_ref(const locally_counted* object) noexcept { ++object->count_; }
    friend void intrusive_ptr_release(const locally_counted* object) noexcept
    {
        if (--object->count_ == 0) delete static_cast<const Derived*>(object);
    }

    mutable std::uint32_t count_ = 0;
};

}  // namespace weft
