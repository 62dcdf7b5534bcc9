#pragma once

#include <utility>

namespace weft {

/** Copies and deletes what a `hidden_ptr` owns. `hidden_ptr_operations.hpp` defines it; the source that knows `T`
 *  instantiates it: `template struct weft::hidden_operations<my_type>;`. */
template <class T>
struct hidden_operations {
    [[nodiscard]] static T* copy(const T& from);
    static void drop(T* object) noexcept;
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
    hidden_ptr(hidden_ptr&& other) noexcept : object_{std::exchange(other.object_, nullptr)} {}
    hidden_ptr& operator=(hidden_ptr other) noexcept
    {
        std::swap(object_, other.object_);
        return *this;
    }
    ~hidden_ptr() { reset(); }

    /** Null if there is no object. */
    [[nodiscard]] T* get() const noexcept { return object_; }
    /** Needs an object. */
    [[nodiscard]] T& operator*() const noexcept { return *object_; }
    [[nodiscard]] T* operator->() const noexcept { return object_; }
    [[nodiscard]] explicit operator bool() const noexcept { return object_ != nullptr; }
    /** Drops the object, if there is one. */
    void reset() noexcept
    {
        if (object_) hidden_operations<T>::drop(std::exchange(object_, nullptr));
    }

private:
    T* object_ = nullptr;
};

}  // namespace weft
