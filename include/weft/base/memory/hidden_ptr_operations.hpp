#pragma once

#include <weft/base/memory/hidden_ptr.hpp>

namespace weft {

// What `hidden_ptr` needs of a type, for the one source that instantiates it.

template <class T>
T* hidden_operations<T>::copy(const T& from)
{
    return new T(from);
}

template <class T>
void hidden_operations<T>::drop(T* object) noexcept
{
    delete object;
}

}  // namespace weft
