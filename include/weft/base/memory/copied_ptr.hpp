#pragma once

#include <memory>
#include <utility>

namespace weft {

/** Owns at most one object, and its copies own copies of it: an optional that is small where nothing is there. */
template <class T>
class copied_ptr {
public:
    copied_ptr() noexcept = default;
    /** Takes the object over. */
    copied_ptr(std::unique_ptr<T> object) noexcept : object_{object.release()} {}
    copied_ptr(T object) : object_{new T(std::move(object))} {}
    /** Copies the object, if there is one. */
    copied_ptr(const copied_ptr& other) : object_{other ? new T(*other) : nullptr} {}
    copied_ptr(copied_ptr&& other) noexcept : object_{std::exchange(other.object_, nullptr)} {}
    copied_ptr& operator=(copied_ptr other) noexcept
    {
        std::swap(object_, other.object_);
        return *this;
    }
    ~copied_ptr() { delete object_; }

    /** Null if there is none. As with any pointer, what it points to is not const because the pointer is. */
    [[nodiscard]] T* get() const noexcept { return object_; }
    [[nodiscard]] T& operator*() const noexcept { return *object_; }
    [[nodiscard]] T* operator->() const noexcept { return object_; }
    [[nodiscard]] explicit operator bool() const noexcept { return object_ != nullptr; }
    void reset() noexcept { delete std::exchange(object_, nullptr); }

    /** Whether the objects are equal, or both are missing. */
    friend bool operator==(const copied_ptr& a, const copied_ptr& b) { return a && b ? *a == *b : !a && !b; }

private:
    T* object_ = nullptr;  // no std::unique_ptr, which takes the compiler ten times as long
};

}  // namespace weft
