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
    copied_ptr(std::unique_ptr<T> object) noexcept : object_{std::move(object)} {}
    copied_ptr(T object) : object_{std::make_unique<T>(std::move(object))} {}
    /** Copies the object, if there is one. */
    copied_ptr(const copied_ptr& other) : object_{other ? std::make_unique<T>(*other) : nullptr} {}
    copied_ptr(copied_ptr&&) noexcept = default;
    copied_ptr& operator=(copied_ptr other) noexcept
    {
        object_ = std::move(other.object_);
        return *this;
    }
    ~copied_ptr() = default;

    /** Null if there is none. As with any pointer, what it points to is not const because the pointer is. */
    [[nodiscard]] T* get() const noexcept { return object_.get(); }
    [[nodiscard]] T& operator*() const noexcept { return *object_; }
    [[nodiscard]] T* operator->() const noexcept { return object_.get(); }
    [[nodiscard]] explicit operator bool() const noexcept { return object_ != nullptr; }
    void reset() noexcept { object_.reset(); }

    /** Whether the objects are equal, or both are missing. */
    friend bool operator==(const copied_ptr& a, const copied_ptr& b) { return a && b ? *a == *b : !a && !b; }

private:
    std::unique_ptr<T> object_;
};

}  // namespace weft
