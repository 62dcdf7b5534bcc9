#pragma once

#include <memory>
#include <utility>

namespace weft {

/** Copies and deletes what a `hidden_ptr` owns. `hidden_ptr_operations.hpp` defines it; the source that knows `T`
 *  instantiates it: `template struct weft::hidden_operations<my_type>;`. */
template <class T>
struct hidden_operations {
    [[nodiscard]] static T* copy(const T& from);
    static void drop(T* object) noexcept;
    /** For `std::unique_ptr`. */
    void operator()(T* object) const noexcept { drop(object); }
};

/** As `copied_ptr`, of a type that need not be complete where the pointer is copied, moved or destroyed. So a public
 *  header names an option without the headers of its type, which each of its users would compile otherwise.
 *
 *      struct save_options;                 // in the public header: no include
 *      hidden_ptr<save_options> saves_;
 *
 *  @par Lifetimes       It owns the object; a copy owns a copy.
 *  @par Thread safety   As of the object. */
template <class T>
class hidden_ptr {
public:
    hidden_ptr() noexcept = default;
    /** Owns `object`, which may be null. */
    explicit hidden_ptr(T* object) noexcept : object_{object} {}
    hidden_ptr(const hidden_ptr& other) : object_{other ? hidden_operations<T>::copy(*other) : nullptr} {}
    hidden_ptr(hidden_ptr&&) noexcept = default;
    hidden_ptr& operator=(hidden_ptr other) noexcept
    {
        object_ = std::move(other.object_);
        return *this;
    }
    ~hidden_ptr() = default;

    /** Null if there is no object. */
    [[nodiscard]] T* get() const noexcept { return object_.get(); }
    /** Needs an object. */
    [[nodiscard]] T& operator*() const noexcept { return *object_; }
    [[nodiscard]] T* operator->() const noexcept { return object_.get(); }
    [[nodiscard]] explicit operator bool() const noexcept { return object_ != nullptr; }
    /** Drops the object, if there is one. */
    void reset() noexcept { object_.reset(); }

private:
    std::unique_ptr<T, hidden_operations<T>> object_;
};

}  // namespace weft
